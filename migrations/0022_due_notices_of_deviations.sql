-- The day on which the people of a deviation are told next that it is due soon, or overdue; null once they have been told of both.
alter table deviations add column due_notice_on date;
create index deviations_notice on deviations (tenant_id, due_notice_on, id)
  where due_notice_on is not null and status not in ('closed', 'cancelled');
