-- Of what a CAPA, one of its actions or its review is due for, people are told once before the day and once when it has passed,
-- whichever process looks and however often.
alter table capas add column notice_on date;
alter table capa_actions add column notice_on date;
alter table effectiveness_reviews add column notice_on date;

create index capas_notice on capas (tenant_id, notice_on) where notice_on is not null;
create index capa_actions_notice on capa_actions (tenant_id, notice_on) where notice_on is not null;
create index effectiveness_reviews_notice on effectiveness_reviews (tenant_id, notice_on) where notice_on is not null;

-- The newest first, and what was made in some weeks.
create index capas_created on capas (tenant_id, created_at, id);
