/**
 * Synonyms of the trade. Each line lists the names of one thing; whichever is typed, all of them are searched. The words of a name stand
 * together in a text.
 */
const lines = `
CAPA | corrective and preventive action | corrective and preventive actions | corrective action and preventive action
SOP | standard operating procedure | standard operating procedures
WI | work instruction | work instructions
OOS | out of specification | out-of-specification
OOT | out of trend | out-of-trend
OOE | out of expectation
GMP | good manufacturing practice | good manufacturing practices
cGMP | current good manufacturing practice
GDP | good documentation practice | good documentation practices | good distribution practice
GLP | good laboratory practice | good laboratory practices
GCP | good clinical practice
QA | quality assurance
QC | quality control
QMS | quality management system
eQMS | electronic quality management system
QP | qualified person
QU | quality unit
QRM | quality risk management
QTA | quality technical agreement | quality agreement
PQR | product quality review | APR | annual product review
BMR | batch manufacturing record | MBR | master batch record
BPR | batch packaging record
EBR | electronic batch record
CoA | certificate of analysis | certificates of analysis
CoC | certificate of conformity | certificate of conformance
URS | user requirement specification | user requirements specification
FRS | functional requirement specification | functional specification
FAT | factory acceptance test
SAT | site acceptance test
DQ | design qualification
IQ | installation qualification
OQ | operational qualification
PQ | performance qualification
PPQ | process performance qualification
PV | process validation
CSV | computer system validation | computerised system validation | computerized system validation
VMP | validation master plan
RTM | requirements traceability matrix | traceability matrix
FMEA | failure mode and effects analysis | failure modes and effects analysis
FTA | fault tree analysis
HACCP | hazard analysis and critical control points
RCA | root cause analysis
5 why | five why | five whys | 5 whys
CPP | critical process parameter | critical process parameters
CQA | critical quality attribute | critical quality attributes
CPV | continued process verification
IPC | in-process control | in-process controls
API | active pharmaceutical ingredient
RM | raw material
FG | finished goods
WFI | water for injection | water for injections
PW | purified water
HVAC | heating ventilation and air conditioning
AHU | air handling unit
HEPA | high efficiency particulate air
LAF | laminar air flow | laminar airflow | UDAF | unidirectional airflow
CIP | cleaning in place
SIP | sterilisation in place | sterilization in place
EM | environmental monitoring
CCS | contamination control strategy
PUPSIT | pre-use post-sterilisation integrity test
MFT | media fill | media fills | aseptic process simulation | APS
CCIT | container closure integrity test | container closure integrity testing
BET | bacterial endotoxin test | LAL | limulus amebocyte lysate
CFU | colony forming unit | colony forming units
TOC | total organic carbon
HPLC | high performance liquid chromatography
GC | gas chromatography
KF | Karl Fischer
RH | relative humidity
MKT | mean kinetic temperature
FEFO | first expired first out
FIFO | first in first out
LIMS | laboratory information management system
MES | manufacturing execution system
ERP | enterprise resource planning
PLC | programmable logic controller
ALCOA | ALCOA+
PPE | personal protective equipment
MSDS | SDS | safety data sheet | material safety data sheet
LOTO | lockout tagout
OJT | on the job training | on-the-job training
TNA | training needs analysis
NCR | non-conformance report | nonconformance report
NC | non-conformance | nonconformance | nonconformity | non-conformity
MRB | material review board
CC | change control
ECR | engineering change request
ASL | approved supplier list | AVL | approved vendor list
SCAR | supplier corrective action request
MA | marketing authorisation | marketing authorization
DMR | device master record
DHR | device history record
DHF | design history file
UDI | unique device identification | unique device identifier
PMS | post-market surveillance | post market surveillance
MDR | medical device regulation
IFU | instructions for use
PM | preventive maintenance | preventative maintenance
MTBF | mean time between failures
KPI | key performance indicator | key performance indicators
vendor | supplier
fridge | refrigerator
gloves | hand protection
analyse | analyze
aluminium | aluminum
authorisation | authorization
centre | center
colour | color
computerised | computerized
labelling | labeling
licence | license
organisation | organization
sanitisation | sanitization
sterilisation | sterilization
steriliser | sterilizer
autoclave | steam steriliser | steam sterilizer
`

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}+]+/gu, ' ')
    .trim()

const rings = lines
  .trim()
  .split('\n')
  .map(line => line.split('|').map(form => form.trim()))

const ringsByForm = new Map<string, string[]>()
for (const ring of rings)
  for (const form of ring)
    ringsByForm.set(plain(form), [...new Set([...(ringsByForm.get(plain(form)) ?? []), ...ring])])
const longest = Math.max(...[...ringsByForm.keys()].map(form => form.split(' ').length))

/** The longest beginning of these words that is a known name, with all names of the same thing, the typed one first. */
export function otherWords(words: readonly string[]): { length: number; forms: string[] } | undefined {
  for (let length = Math.min(longest, words.length); length > 0; length--) {
    const taken = words.slice(0, length)
    if (taken.includes('')) continue
    const typed = taken.join(' ')
    const ring = ringsByForm.get(plain(typed))
    if (ring) return { length, forms: [typed, ...ring.filter(form => plain(form) !== plain(typed))] }
  }
  return undefined
}

/** The first name of each thing that a text mentions by one of its names. */
export function firstNames(text: string): string[] {
  const words = plain(text).split(' ')
  const names = new Set<string>()
  for (let index = 0; index < words.length; ) {
    let length = Math.min(longest, words.length - index)
    const phrase = () => words.slice(index, index + length).join(' ')
    while (length > 0 && !ringsByForm.has(phrase())) length--
    if (length > 0) names.add(ringsByForm.get(phrase())![0]!)
    index += Math.max(1, length)
  }
  return [...names]
}
