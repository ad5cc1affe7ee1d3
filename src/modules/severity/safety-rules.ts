import type { Rule } from './rule.ts'

const batches = 'batch|batches|lot|lots|product|products|material|units|vials|packs|cartons|goods|devices'

/** Rules on the way to patients, which are weighed. */
export const safetyRules: readonly Rule[] = [
  {
    name: 'reached patients',
    dimension: 'patient safety',
    severity: 'critical',
    points: 3,
    signals: [
      'administered|infused|implanted|transfused|vaccinated|inoculated',
      'given|dispensed to patient|patients|children|subjects|users',
      'patients|children|subjects|users|consumers|infants .. treated|received|took|used|exposed|injected|dosed|injured',
      'treated|used|taken by|in|on .. patient|patients',
      'pharmacies|hospitals|clinics',
      'with|by|in|into patients|consumers|surgery',
    ],
  },
  {
    name: 'reached the market',
    dimension: 'patient safety',
    severity: 'critical',
    points: 2,
    signals: [
      'on|in the market',
      'to the market',
      'marketed|commercialised|commercialized',
      'distributed|distribution',
      'released and|, shipped|distributed|sold|delivered|administered',
      `${batches} .. shipped|sold|delivered|supplied|dispatched`,
      'sold|on sale|out',
      'on sale',
      'supply chain',
      'wholesale|wholesaler|wholesalers|distributor|distributors|customers',
      'recall|recalled|recalls',
      'field action|correction|safety',
    ],
  },
  {
    name: 'vulnerable people',
    dimension: 'patient safety',
    severity: 'critical',
    points: 1,
    signals: [
      'children|child|infant|infants|neonate|neonates|neonatal|newborn|newborns|paediatric|pediatric|pregnant|pregnancy',
      'intensive care',
      'immunocompromised|immunosuppressed',
    ],
  },
  {
    name: 'wrong medicine or dose',
    dimension: 'patient safety',
    severity: 'critical',
    points: 3,
    signals: [
      'wrong|incorrect strength|dose|doses|dosage|active|api|drug|medicine|tablets|treatment|concentration',
      'no|without|missing active ingredient|substance',
      'subpotent|superpotent|sub|super potent',
      'substituted|substitution',
      'times the labelled|labeled|intended|prescribed|declared|normal|allowed',
      'too high|low dose|doses|dosing',
    ],
  },
  {
    name: 'hazardous residue',
    dimension: 'patient safety',
    severity: 'critical',
    points: 3,
    signals: [
      'penicillin|cephalosporin|betalactam|cytotoxic|hormone|steroid|nitrosamine|nitrosamines|toxic|carcinogenic|genotoxic|mutagenic',
      'diethylene|ethylene glycol',
      'cross contamination|contaminated|contaminant',
      'undeclared allergen|allergens',
    ],
  },
  {
    name: 'device malfunction',
    dimension: 'patient safety',
    severity: 'major',
    points: 2,
    signals: [
      'did|does|do|will not activate|work|alarm|deliver|start|function|inject|stop',
      'malfunction|malfunctions|malfunctioned|malfunctioning|fracture|fractures|fractured|misconnection|misconnections',
      'without alarm',
      'stops|stopped|fails|failed .. without|during|treatment|therapy',
      'ventilator|ventilators|defibrillator|pacemaker|infusion|glucose|catheter|catheters|autoinjector|firmware|connector|syringe|syringes',
      'patient received',
      'displays|shows|reads values|value|results .. high|low|wrong',
    ],
  },
]
