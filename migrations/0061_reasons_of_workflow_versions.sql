-- Each version of a workflow template says who made it, when, and why. The reason was in the audit trail alone, which not everybody who
-- works with workflows may read.
alter table workflow_template_versions add column change_reason text check (change_reason <> '');
