-- Statistics name the lists behind their figures, which select records by the day on which they were reported, closed or completed.
create index deviations_reported_at on deviations (tenant_id, reported_at, id);
create index capas_closed_at on capas (tenant_id, closed_at) where closed_at is not null;
create index training_assignments_completed_at on training_assignments (tenant_id, completed_at) where completed_at is not null;
