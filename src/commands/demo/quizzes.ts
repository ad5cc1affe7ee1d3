const option = (key: string, text: string, is_correct = false) => ({ key, text, is_correct })

/** Questions about the deviation procedure and about general rules. */
export const recordsQuiz = [
  {
    key: 'mistake',
    text: 'You wrote a wrong value into a batch record. What do you do?',
    type: 'single',
    options: [
      option(
        'strike',
        'Strike it through so that it stays readable, write the right one beside it, sign and date',
        true,
      ),
      option('erase', 'Erase it and write the right one'),
      option('copy', 'Copy the page anew and throw the old one away'),
    ],
    explanation: 'What was written first stays readable, and who changed it, when and why is said.',
  },
  {
    key: 'when',
    text: 'When is an entry made?',
    type: 'single',
    options: [
      option('end', 'At the end of the shift'),
      option('then', 'At the moment of the work that it is about', true),
      option('before', 'Before the work, to save time'),
    ],
    explanation: 'Records are contemporaneous.',
  },
  {
    key: 'complete',
    text: 'What makes a record attributable?',
    type: 'multiple',
    options: [
      option('who', 'Who did it', true),
      option('when', 'When it was done', true),
      option('weather', 'What the weather was'),
    ],
    explanation: null,
  },
  {
    key: 'password',
    text: 'A colleague may sign with your password when you are busy.',
    type: 'true_false',
    options: [option('true', 'True'), option('false', 'False', true)],
    explanation: 'A signature is of one person alone (21 CFR 11.100).',
  },
]
