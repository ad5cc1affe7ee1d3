-- A gate that names no training would let everybody decide about documents that their owner believes to be gated.
alter table document_types
  add constraint document_types_signing_programs check (training_gate <> 'before_sign' or cardinality(signing_program_ids) > 0);
