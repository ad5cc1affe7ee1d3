-- A list of the versions of a content template says why each was stored, as that of a form template does. Versions from before say nothing:
-- the audit trail has their reasons.
alter table content_template_versions add column change_reason text check (change_reason <> '');
