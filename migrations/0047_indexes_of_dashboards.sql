-- Dashboards ask for what is open: of a person, or due by a day. These indexes hold what is open alone, so that a tenant's history is
-- never read for them, however long it becomes.
create index deviations_todo on deviations (tenant_id, assigned_to, due_date, id) where status not in ('closed', 'cancelled');
create index capas_todo on capas (tenant_id, assigned_to, due_date, id) where status not in ('rejected', 'closed', 'cancelled');
create index capa_actions_todo on capa_actions (tenant_id, assigned_to, due_date, id) where status in ('open', 'in_progress');
create index capa_actions_due on capa_actions (tenant_id, due_date, id) where status in ('open', 'in_progress');
create index effectiveness_reviews_todo on effectiveness_reviews (tenant_id, reviewer_id, due_date, id) where status = 'planned';
create index effectiveness_reviews_due on effectiveness_reviews (tenant_id, due_date, id) where status = 'planned';
create index training_assignments_own on training_assignments (tenant_id, user_id, due_date, id) where status in ('assigned', 'in_progress');
create index document_versions_approval on document_versions (tenant_id, approval_due_date, id) where approval_due_date is not null;
