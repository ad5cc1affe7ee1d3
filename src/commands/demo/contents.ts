import type { PdfContent } from './pdf.ts'

// Written for this demo, in the style of real procedures.

const cleaningSections = (rinse: string, swab: string): PdfContent['sections'] => [
  {
    heading: 'Purpose and scope',
    body: [
      'This procedure describes the cleaning of the powder blender PB-02 after each batch and before a change of product. It applies to everyone who cleans, inspects or releases the blender in production area B.',
    ],
  },
  {
    heading: 'Responsibilities',
    body: [
      'The operator cleans and records. A second operator inspects. The area supervisor releases the blender for the next batch. QA decides about every result outside the limits.',
    ],
  },
  {
    heading: 'Materials',
    body: [
      'Purified water (SPEC-0001), neutral detergent at 0.5 % (v/v), lint-free wipes, swab kit, torch with inspection mirror, the label "Cleaned".',
    ],
  },
  {
    heading: 'Procedure',
    body: [
      [
        'Lock out the drive and sign the lock-out tag before the hatch is opened.',
        'Remove residual powder with the dedicated vacuum cleaner. Compressed air is not used.',
        'Wash all product-contact surfaces with detergent at 50 °C ± 5 °C for at least 10 minutes.',
        rinse,
        'Dry with filtered air until no moisture is visible.',
        'The second operator inspects hatch, shaft seal and discharge valve with the torch: no residue, no discoloration, no fibre.',
        'Attach the label "Cleaned" with date, time, batch and both signatures. The clean state holds for 7 days.',
      ],
    ],
  },
  {
    heading: 'Acceptance criteria',
    body: [],
    table: {
      columns: ['Test', 'Method', 'Limit'],
      rows: [
        ['Visual', 'Torch and mirror, two persons', 'Visibly clean'],
        ['Conductivity of the last rinse', 'In-line probe', '≤ 1.3 µS/cm at 25 °C'],
        ['Residue of the previous product', swab, '≤ 10 µg per 25 cm²'],
      ],
    },
  },
  {
    heading: 'When a limit is not met',
    body: [
      'Leave the blender in quarantine, do not clean it again before QA has decided, and report a deviation within 24 hours (SOP-0002).',
    ],
  },
]

export const cleaning1: PdfContent = {
  title: 'Cleaning of the powder blender PB-02',
  kind: 'Standard operating procedure',
  sections: cleaningSections('Rinse twice with purified water of at least 20 litres.', 'Swab of one place, HPLC'),
}

export const cleaning2: PdfContent = {
  title: 'Cleaning of the powder blender PB-02',
  kind: 'Standard operating procedure',
  sections: cleaningSections(
    'Rinse three times with purified water of at least 20 litres; record the conductivity of the last rinse.',
    'Swab of three places (shaft seal, valve seat, hatch), HPLC',
  ),
}

export const deviations: PdfContent = {
  title: 'Handling of deviations',
  kind: 'Standard operating procedure',
  sections: [
    {
      heading: 'Purpose',
      body: [
        'Every departure from an approved procedure, specification or established standard is reported, assessed, investigated as far as its risk asks for, and closed by QA. Nothing is left out because it was put right at once.',
      ],
    },
    {
      heading: 'Reporting',
      body: [
        [
          'Whoever notices a deviation reports it within 24 hours, with what happened, when it was noticed, and what it concerns: product, batch, equipment or system.',
          'Immediate actions (stop, segregate, label) are taken first and recorded with the report.',
          'A report that is later than 24 hours says why.',
        ],
      ],
    },
    {
      heading: 'Classification',
      body: ['QA assesses the severity within one working day.'],
      table: {
        columns: ['Severity', 'Meaning', 'Due'],
        rows: [
          ['Minor', 'No effect on product quality, patient safety or data integrity', '30 days'],
          ['Major', 'A possible effect, or a repeated minor deviation', '15 days'],
          ['Critical', 'A likely effect on the patient or on the integrity of records', '3 days'],
        ],
      },
    },
    {
      heading: 'Investigation',
      body: [
        [
          'The investigation asks for the root cause, not for the culprit: five whys for a simple chain of causes, a fishbone diagram where several meet.',
          'The impact on other batches, equipment and earlier results is assessed in writing.',
          'A critical deviation leads to a CAPA, or to a documented reason why none is needed.',
        ],
      ],
    },
    {
      heading: 'Closure',
      body: [
        'Major and critical deviations are closed by the electronic signature of QA, once root cause and impact are recorded. A deviation is reopened only with a reason.',
      ],
    },
  ],
}

export const lineClearance: PdfContent = {
  title: 'Line clearance in packaging',
  kind: 'Standard operating procedure',
  sections: [
    {
      heading: 'Purpose',
      body: [
        'Before a batch is packaged, nothing of the previous one is left on the line: no product, no label, no leaflet, no document. This procedure describes the check and its record.',
      ],
    },
    {
      heading: 'Procedure',
      body: [
        [
          'Remove all materials of the previous batch and reconcile the labels: issued = used + destroyed + returned.',
          'Check the line in the direction of flow by the check-list of the batch record: hopper, blister former, feeder, sealing station, ejection, cartoner, printer, bins, floor.',
          'A second person, who did not clear the line, repeats the check.',
          'Both sign the batch record with date and time before the first material is brought in.',
        ],
      ],
    },
    {
      heading: 'Deviations',
      body: ['Any finding of the second check is a deviation (SOP-0002). The line stays blocked until QA releases it.'],
    },
  ],
}

export const water: PdfContent = {
  title: 'Purified water',
  kind: 'Specification',
  sections: [
    {
      heading: 'Scope',
      body: [
        'Purified water from the generation and the loop of building 2, at every user point, for cleaning and for the preparation of non-sterile products.',
      ],
    },
    {
      heading: 'Requirements',
      body: [],
      table: {
        columns: ['Test', 'Limit', 'Alert level', 'Frequency'],
        rows: [
          ['Conductivity at 25 °C', '≤ 5.1 µS/cm', '1.3 µS/cm', 'In-line'],
          ['Total organic carbon', '≤ 500 µg/l', '250 µg/l', 'In-line'],
          ['Nitrates', '≤ 0.2 ppm', 'none', 'Weekly'],
          ['Total aerobic count', '≤ 100 CFU/ml', '50 CFU/ml', 'Each user point weekly'],
          ['Pseudomonas aeruginosa', 'Absent in 100 ml', 'none', 'Each user point weekly'],
        ],
      },
    },
    {
      heading: 'Sampling',
      body: [
        'Flush the user point for one minute at full flow. Sample into a sterile bottle; test within 2 hours, or keep at 2 to 8 °C for 24 hours at most.',
      ],
    },
    {
      heading: 'Out of specification',
      body: ['A result above a limit blocks the user point and is a deviation; above an alert level it is trended.'],
    },
  ],
}

export const calibration: PdfContent = {
  title: 'Daily check and calibration of analytical balances',
  kind: 'Work instruction',
  sections: [
    {
      heading: 'Before the check',
      body: [
        [
          'The balance stands level (bubble in the circle), clean, and has been switched on for at least 30 minutes.',
          'Use the reference weights of set RW-7 (class E2) with forceps. Their certificate is valid.',
        ],
      ],
    },
    {
      heading: 'Daily check',
      body: [
        [
          'Run the internal adjustment and wait for "done".',
          'Tare. Put on the 200 mg weight, wait for the stable sign, record the reading. Repeat with 20 g and 200 g.',
        ],
      ],
      table: {
        columns: ['Nominal', 'Tolerance', 'Reads within'],
        rows: [
          ['200 mg', '± 0.2 mg', '199.8 to 200.2 mg'],
          ['20 g', '± 1.0 mg', '19.9990 to 20.0010 g'],
          ['200 g', '± 4.0 mg', '199.9960 to 200.0040 g'],
        ],
      },
    },
    {
      heading: 'Calibration',
      body: [
        'Every 12 months by the accredited service: repeatability (ten weighings), eccentricity, linearity at five points, and the minimum weight after USP <41>.',
      ],
    },
    {
      heading: 'Outside of tolerance',
      body: [
        'Clean, level and repeat once. If it still fails, label the balance "Do not use" and report a deviation; weighings since the last good check are assessed.',
      ],
    },
  ],
}

export const dataIntegrity: PdfContent = {
  title: 'Data integrity policy',
  kind: 'Policy',
  sections: [
    {
      heading: 'What we commit ourselves to',
      body: [
        'Our records are attributable, legible, contemporaneous, original and accurate, and complete, consistent, enduring and available (ALCOA+). A record tells what happened, not what should have happened.',
      ],
    },
    {
      heading: 'Rules for everybody',
      body: [
        [
          'One person, one account. A password is shared with nobody, and nobody signs for another.',
          'What is done is recorded when it is done, where it belongs. Scrap paper is no record.',
          'A correction leaves the first entry readable, and says who changed it, when and why.',
          'Nobody with an interest in a result administers the system that holds it.',
          'Who reports an error of their own is thanked for it.',
        ],
      ],
    },
    {
      heading: 'Electronic records and signatures',
      body: [
        'Systems that hold GxP records are validated, keep an audit trail that nobody can switch off, and ask for the identity of who signs (21 CFR Part 11, EU GMP Annex 11). The audit trail of critical data is reviewed with the data.',
      ],
    },
  ],
}

export const cleaningValidation: PdfContent = {
  title: 'Cleaning validation of the powder blender PB-02',
  kind: 'Validation protocol',
  sections: [
    {
      heading: 'Objective',
      body: ['To show with three consecutive runs that SOP-0001 removes the worst-case product to below its limit.'],
    },
    {
      heading: 'Worst case',
      body: [
        'Of the five products of the blender, LP-114 is the least soluble (0.02 mg/ml) and has the lowest health-based exposure limit (0.4 mg per day).',
      ],
    },
    {
      heading: 'Sampling',
      body: [],
      table: {
        columns: ['Place', 'Method', 'Limit'],
        rows: [
          ['Shaft seal', 'Swab 25 cm²', '10 µg'],
          ['Valve seat', 'Swab 25 cm²', '10 µg'],
          ['Hatch', 'Swab 25 cm²', '10 µg'],
          ['Last rinse', '100 ml', '1 µg/ml'],
        ],
      },
    },
    {
      heading: 'Acceptance',
      body: [
        'All results of three consecutive runs are within the limits. A failed run is investigated and begins the count again.',
      ],
    },
  ],
}

export const productReview: PdfContent = {
  title: 'Annual product review LP-101, 2024',
  kind: 'Report',
  sections: [
    {
      heading: 'Summary',
      body: [
        '42 batches were made, 41 released and 1 rejected. Two major deviations were closed in time. No recall, and no confirmed out-of-specification result of a released batch.',
      ],
    },
    {
      heading: 'Batches',
      body: [],
      table: {
        columns: ['Quarter', 'Made', 'Released', 'Rejected'],
        rows: [
          ['1', '10', '10', '0'],
          ['2', '11', '10', '1'],
          ['3', '9', '9', '0'],
          ['4', '12', '12', '0'],
        ],
      },
    },
    {
      heading: 'Conclusion',
      body: ['The process is in a state of control. No change of the specification is proposed.'],
    },
  ],
}

/** Text files are documents as well. */
export const batchRecord = `# Batch record: blending of LP-101

Batch number: ____________   Date: ____________   Equipment: PB-02

| Step | Instruction | Result | Done by | Checked by |
|---|---|---|---|---|
| 1 | Line clearance by SOP-0003 | yes / no | | |
| 2 | The label "Cleaned" is there and not older than 7 days | yes / no | | |
| 3 | Charge 40.0 kg ± 0.4 kg of lactose | ______ kg | | |
| 4 | Charge 10.0 kg ± 0.1 kg of the active substance | ______ kg | | |
| 5 | Blend for 15 minutes ± 1 minute at 12 rpm | ______ min | | |
| 6 | Blend uniformity, 10 samples: RSD ≤ 5.0 % | ______ % | | |
| 7 | Yield 98.0 % to 101.0 % | ______ % | | |

Remarks and deviations: ______________________________________________
`

export const equipmentList = `id,equipment,area,qualified_until,calibration_interval_months
PB-02,Powder blender 50 l,Production B,2027-03-31,
TP-05,Tablet press,Production B,2026-11-30,12
BL-01,Blister line,Packaging,2027-01-31,
AB-11,Analytical balance 220 g,Quality control,2026-12-31,12
HP-03,HPLC with UV detector,Quality control,2026-09-30,6
PW-01,Purified water generation and loop,Building 2,2026-10-31,12
`
