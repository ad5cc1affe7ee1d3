-- Pages show notifications in the language of their reader, so each keeps the code and the parameters of its sentence beside the text.
-- A notification from before has neither, and is shown by its text.
alter table notifications add column code text, add column params jsonb not null default '{}';
