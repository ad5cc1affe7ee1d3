-- Lists of training stay quick where a tenant has a million assignments: by when they were assigned, by when they are due, and what is
-- overdue of those that are open.
create index training_assignments_assigned on training_assignments (tenant_id, assigned_at, id);
create index training_assignments_due on training_assignments (tenant_id, due_date, id);
create index training_assignments_todo on training_assignments (tenant_id, due_date, id) where status in ('assigned', 'in_progress');
