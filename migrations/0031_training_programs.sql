-- A record of training says what the program was called when it was completed: the program may be called something else since.
alter table training_assignments
  add column program_title text,
  add check ((completed_at is null) = (program_title is null));
