-- Records are found by their name in one process. All tenants together have many records, so the planner let other processes help to find a
-- few of one tenant, and starting them took longer than the search.
alter function named_records(text, jsonb, integer, text[], bigint) set max_parallel_workers_per_gather = 0;
