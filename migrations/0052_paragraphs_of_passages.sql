-- Two versions are compared by their paragraphs, and a passage may begin in the middle of one.

alter table document_chunks
  -- The white space between this passage and the one before it, whose paragraph it continues; null where a paragraph begins. Texts
  -- extracted before have null everywhere.
  add column gap text;
