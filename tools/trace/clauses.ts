/**
 * The clauses of 21 CFR Part 11 and of EU GMP Annex 11 (2011), in our own words, each with the requirements whose tests prove what of it is
 * the software's; `by_procedure` is what the regulated company does itself.
 */
interface Clause {
  clause: string
  says: string
  proved_by: readonly string[]
  by_procedure?: string
}

export const regulations: Record<string, readonly Clause[]> = {
  '21 CFR Part 11': [
    {
      clause: '11.10(a)',
      says: 'Validated; altered records are discerned',
      proved_by: ['AUD-04', 'SIG-02', 'DOC-03', 'OPS-02'],
      by_procedure: 'Validation for the intended use',
    },
    {
      clause: '11.10(b)',
      says: 'Accurate and complete copies, legible and electronic',
      proved_by: ['DOC-03', 'AUD-03', 'SIG-02'],
    },
    {
      clause: '11.10(c)',
      says: 'Records are protected and found throughout their retention',
      proved_by: ['DOC-03', 'DOC-08', 'SRCH-01', 'AUD-04'],
      by_procedure: 'Retention periods, copies of the backups',
    },
    {
      clause: '11.10(d)',
      says: 'Access for authorised individuals alone',
      proved_by: ['AUTH-05', 'AUTH-06', 'AUTH-07', 'SES-01', 'SSO-01', 'SVC-01'],
    },
    {
      clause: '11.10(e)',
      says: 'Audit trails: secure, by the computer, with the time, nothing obscured, kept and available',
      proved_by: ['AUD-01', 'AUD-02', 'AUD-03', 'AUD-04', 'FLOW-02'],
    },
    {
      clause: '11.10(f)',
      says: 'The permitted sequence of steps is enforced',
      proved_by: ['DOC-05', 'FLOW-01', 'CAPA-02', 'ERR-05'],
    },
    {
      clause: '11.10(g)',
      says: 'Authority is checked before each use',
      proved_by: ['ROLE-01', 'ROLE-02', 'ROLE-04', 'CAPA-03', 'KEY-01'],
    },
    {
      clause: '11.10(h)',
      says: 'Where data come from is checked',
      proved_by: ['DOC-07', 'SVC-03', 'AUD-01'],
      by_procedure: 'Which terminals are used',
    },
    {
      clause: '11.10(i)',
      says: 'Who uses the system is trained for it',
      proved_by: ['TRN-03', 'TRN-04'],
      by_procedure: 'Education and experience of people',
    },
    {
      clause: '11.10(j)',
      says: 'People are accountable for what they do under their signature',
      proved_by: ['SIG-01'],
      by_procedure: 'The written policy that they accept',
    },
    {
      clause: '11.10(k)',
      says: 'Documentation of the system is controlled, with its history',
      proved_by: ['FLOW-01', 'SVC-02', 'DOC-01', 'AUD-01'],
    },
    {
      clause: '11.30',
      says: 'Open systems: authenticity, integrity and confidentiality on the way',
      proved_by: ['SIG-02', 'AUD-04'],
      by_procedure: 'TLS in front of the service',
    },
    { clause: '11.50(a)', says: 'A signature shows name, date and time, and meaning', proved_by: ['SIG-01', 'SIG-02'] },
    { clause: '11.50(b)', says: 'So does each form that people read', proved_by: ['SIG-02', 'DOC-03'] },
    {
      clause: '11.70',
      says: 'Signatures are linked to their records and cannot be moved',
      proved_by: ['SIG-02', 'AUD-04'],
    },
    {
      clause: '11.100(a)',
      says: 'A signature is of one individual, and never of another',
      proved_by: ['SIG-01', 'AUTH-01', 'AUTH-03', 'SSO-05'],
    },
    {
      clause: '11.100(b)',
      says: 'Identity is verified before',
      proved_by: ['SIG-01'],
      by_procedure: 'How the identity is verified',
    },
    {
      clause: '11.100(c)',
      says: 'The agency is told that signatures are binding',
      proved_by: [],
      by_procedure: 'The letter to the agency is the company’s; it is kept as a document',
    },
    {
      clause: '11.200(a)(1)',
      says: 'Two components; all of them at the first signing',
      proved_by: ['SIG-01', 'AUTH-01', 'SSO-05'],
    },
    { clause: '11.200(a)(2)', says: 'Used by their owners alone', proved_by: ['SIG-01', 'AUTH-04'] },
    {
      clause: '11.200(a)(3)',
      says: 'Use by another takes two people',
      proved_by: ['SIG-01', 'ROLE-04'],
      by_procedure: 'That temporary passwords are handed to their owner',
    },
    {
      clause: '11.200(b)',
      says: 'Biometric signatures are used by their owners alone',
      proved_by: ['SSO-05'],
      by_procedure: 'That nobody adds the finger or face of another person to their device',
    },
    { clause: '11.300(a)', says: 'No two individuals have the same combination', proved_by: ['AUTH-01', 'AUTH-03'] },
    {
      clause: '11.300(b)',
      says: 'Passwords are checked, recalled and revised',
      proved_by: ['AUTH-01'],
      by_procedure: 'The policy on their age',
    },
    { clause: '11.300(c)', says: 'What is lost is revoked at once', proved_by: ['AUTH-05', 'AUTH-07', 'SSO-04'] },
    {
      clause: '11.300(d)',
      says: 'Attempts of misuse are prevented and reported at once',
      proved_by: ['AUTH-01', 'NOTE-01', 'AUD-01', 'SSO-03'],
    },
    {
      clause: '11.300(e)',
      says: 'Devices are tested at first and from time to time',
      proved_by: ['AUTH-07'],
      by_procedure: 'Devices beside the second factor',
    },
  ],
  'EU GMP Annex 11': [
    {
      clause: '1',
      says: 'Risk management over the life cycle',
      proved_by: ['ROLE-01'],
      by_procedure: 'The risk assessment of the intended use',
    },
    {
      clause: '2',
      says: 'Personnel with qualifications, access and duties',
      proved_by: ['ROLE-02', 'TRN-03'],
      by_procedure: 'Who does what',
    },
    {
      clause: '3',
      says: 'Suppliers and service providers',
      proved_by: [],
      by_procedure: 'Agreements and audits of suppliers',
    },
    {
      clause: '4',
      says: 'Validation, with requirements traced through the life cycle',
      proved_by: ['DOC-07', 'SVC-04', 'ERR-01', 'OPS-02'],
      by_procedure: 'Validation for the intended use; this matrix is a part of it',
    },
    {
      clause: '4.8',
      says: 'Migrated data are checked not to be altered in value or meaning',
      proved_by: ['MIG-01', 'MIG-02'],
    },
    { clause: '5', says: 'Data that are exchanged are checked', proved_by: ['SVC-03', 'DOC-07', 'DOC-03'] },
    {
      clause: '6',
      says: 'Critical data that are typed are checked a second time',
      proved_by: ['DOC-05', 'CAPA-03', 'DEV-02'],
    },
    {
      clause: '7.1',
      says: 'Data are secured against damage, and stay readable',
      proved_by: ['DOC-08', 'DOC-03', 'SIG-02'],
    },
    {
      clause: '7.2',
      says: 'Backups, whose restore is tested',
      proved_by: ['OPS-01', 'DOC-08'],
      by_procedure: 'When they are made, and where they are kept',
    },
    { clause: '8.1', says: 'Clear printed copies', proved_by: ['DOC-03', 'AUD-03'] },
    { clause: '8.2', says: 'Copies of batch records tell of changes', proved_by: ['AUD-01', 'SIG-02'] },
    {
      clause: '9',
      says: 'Audit trails with reasons, intelligible and reviewed',
      proved_by: ['AUD-01', 'AUD-02', 'AUD-03', 'AUD-04'],
    },
    {
      clause: '10',
      says: 'Changes of the configuration are controlled',
      proved_by: ['FLOW-01', 'TYPE-01', 'ROLE-04', 'AUD-01'],
    },
    {
      clause: '11',
      says: 'Periodic evaluation',
      proved_by: ['HLTH-03', 'AUD-02', 'DASH-05'],
      by_procedure: 'The evaluation and its report',
    },
    {
      clause: '12.1',
      says: 'Access is restricted',
      proved_by: ['AUTH-05', 'AUTH-07', 'SSO-01', 'SVC-01'],
      by_procedure: 'Physical access',
    },
    { clause: '12.2', says: 'As the data are critical', proved_by: ['ROLE-01', 'AUTH-07'] },
    {
      clause: '12.3',
      says: 'Who was authorised, how and by whom is on record',
      proved_by: ['ROLE-02', 'ROLE-04', 'AUD-01', 'SSO-02'],
    },
    {
      clause: '12.4',
      says: 'Who entered, changed, confirmed or deleted data, with date and time',
      proved_by: ['AUD-01', 'FLOW-02'],
    },
    {
      clause: '13',
      says: 'Incidents are reported, and lead to corrective actions',
      proved_by: ['DEV-01', 'CAPA-01', 'CAPA-05', 'DEV-04'],
    },
    {
      clause: '14',
      says: 'Electronic signatures: binding, permanently linked, with date and time',
      proved_by: ['SIG-01', 'SIG-02'],
    },
    { clause: '15', says: 'Batch release', proved_by: [], by_procedure: 'The service releases no batches' },
    {
      clause: '16',
      says: 'Continuity',
      proved_by: ['HLTH-04', 'SVC-07'],
      by_procedure: 'What people do while the service is not there',
    },
    { clause: '17', says: 'Archives are readable and intact', proved_by: ['SIG-02', 'DOC-03', 'AUD-04'] },
  ],
}
