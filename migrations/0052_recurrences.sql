-- Which deviations of one category and one root cause were detected before another.
create index deviations_recurrence on deviations (tenant_id, category, root_cause_category, detected_at, id)
  where category is not null and root_cause_category is not null and status <> 'cancelled';
