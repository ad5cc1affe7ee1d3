import { keepNewest } from '#kernel/keep-newest.ts'

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
vendor | supplier | Lieferant | fournisseur
fridge | refrigerator | cold store | cold room | cool room | cooler | Kühlschrank | Kühlraum | Kühllager | chambre froide
freezer | deep freezer | ultra-low freezer | Tiefkühlschrank | congélateur
cold chain | temperature-controlled transport | refrigerated transport | Kühlkette | chaîne du froid
truck | van | vehicle
shipment | shipping | dispatch | transport
warehouse | store | storage area | Lager | entrepôt
temperature logger | data logger | logger
gloves | hand protection | Handschuhe | gants
gowning | dressing | clothing | garment | garments | gown | attire | Bekleidung | habillage
changing room | gowning room | locker room | airlock | Umkleide | vestiaire
clean room | cleanroom | classified area | Reinraum | salle propre | salle blanche
aseptic core | grade A | grade B
cleaning | sanitation | Reinigung | nettoyage
disinfectant | disinfection | sanitiser | sanitizer | Desinfektion | Desinfektionsmittel | désinfectant | désinfection
hand disinfection | Händedesinfektion
pest | pests | vermin | insects | rodents | bugs | Schädlinge | nuisibles
pest control | pest management | bug control | rodent control | insect control | Schädlingsbekämpfung | lutte contre les nuisibles
recall | withdrawal | market withdrawal | product withdrawal | pulling back | Rückruf | rappel
returns | returned goods | Retouren | retours
complaint | claim | Reklamation | Beschwerde | réclamation | réclamations
customer | client | Kunde | Kunden | clients
deviation | nonconformance | nonconformity | irregularity | Abweichung | Abweichungen | écart | déviation
root cause | cause analysis | Ursache | Ursachenanalyse | cause racine
corrective action | corrective measure | corrective measures | remedial action | Korrekturmaßnahme | action corrective
preventive action | preventive measure | Vorbeugemaßnahme | action préventive
effectiveness check | effectiveness review | effectiveness verification | Wirksamkeitsprüfung
batch | lot | Charge | lots
batch record | batch documentation | manufacturing record | Chargenprotokoll | Herstellprotokoll | dossier de lot
release | certification | disposition | sign-off | sign off | Freigabe | libération
shelf life | expiry | expiry period | expiration | Haltbarkeit | péremption | durée de conservation
stability | stability study | Stabilität | stabilité
balance | scale | scales | weighing machine | Waage | Waagen
test weight | calibration weight | check weight | Prüfgewicht
calibration | adjustment | Kalibrierung | étalonnage
measuring instrument | gauge | measuring device | Messgerät | Messmittel
maintenance | servicing | upkeep | repair | Wartung | Instandhaltung | entretien
breakdown | failure | malfunction | Ausfall | panne
equipment | machine | machines | machinery | apparatus | Anlage | équipement
spare part | spare parts | replacement part | Ersatzteil
training | instruction | education | schooling | Schulung | Schulungen | formation
personnel | staff | employees | workforce | Mitarbeiter | Personal
qualification | competence | habilitation | Qualifizierung
induction | onboarding | new starter | new employees | basic training
supplier audit | vendor audit | Lieferantenaudit | audit fournisseur
supplier qualification | supplier approval | Lieferantenqualifizierung
audit | inspection | examination
self-inspection | internal audit | Selbstinspektion
starting material | incoming goods | raw material | Rohstoff | matière première
goods receipt | goods receiving | incoming goods | receipt of goods | Wareneingang
sampling | Probenahme | échantillonnage
retained sample | retention sample | reserve sample | Rückstellmuster
steam steriliser | steam sterilizer | autoclave | Dampfsterilisator
loading pattern | load configuration | Beladung
depyrogenation tunnel | depyrogenation | sterilising tunnel | hot air steriliser
freeze drying | freeze-drying | freeze dryer | lyophilisation | lyophilization | lyophiliser | lyophilizer | Gefriertrocknung
vial | vials | ampoule | ampoules
microbial testing | microbiological monitoring | environmental monitoring | viable monitoring | air sampling
settle plate | settle plates | sedimentation plate
endotoxin | pyrogen
sterility test | test for sterility | Sterilitätstest
visual inspection | manual inspection | optical inspection | visuelle Kontrolle
air handling | ventilation | HVAC | air conditioning | Lüftung | Lüftungsanlage
requalification | revalidation | Requalifizierung
handwritten correction | crossing out | strike through | correction of entries | overwriting
mistake | error | slip | Fehler | erreur
good documentation practice | GDocP | documentation rules
access rights | user access | user account | login | log-in | log in | authorisation | access control | Zugriffsrechte | Benutzerkonto
password | passphrase | Kennwort | Passwort | mot de passe
backup | back-up | copy of data | Datensicherung | sauvegarde
restore | recovery of data | data recovery | Wiederherstellung
audit trail | change log | Änderungsprotokoll
electronic signature | e-signature | digital signature | elektronische Unterschrift | signature électronique
data integrity | reliability of data | Datenintegrität
document control | control of documents | document management | Dokumentenlenkung
procedure | SOP | instruction | Verfahrensanweisung | Arbeitsanweisung | procédure | mode opératoire
revision | new version | update
archive | archiving | record keeping | Archivierung | archivage
retention period | storage period | keeping time | Aufbewahrungsfrist
change control | change management | modification | Änderungskontrolle | maîtrise des changements
risk management | risk assessment | risk analysis | Risikobewertung | analyse de risque
contract manufacturer | CMO | contract manufacturing | toll manufacturer | Lohnhersteller | sous-traitant
contract laboratory | external laboratory | Auftragslabor
falsified medicine | counterfeit | counterfeit medicine | fake medicine | falsified
adverse event | side effect | adverse reaction | Nebenwirkung
needle stick | needlestick | needle prick | sharps injury | Nadelstich
accident | injury | mishap | Unfall
spill | spillage | leak
label | labelling | labeling | tag | Etikett | étiquette
line clearance | line clearing | clearing the line
mix-up | mixup | mix up | Verwechslung
cross-contamination | carry-over | carryover | carry over
specification | acceptance criteria | requirements | Spezifikation
tablet | tablets | pill | pills
ingredient | excipient | active substance | Wirkstoff
purified water | demineralised water | pharmaceutical water
filter integrity test | bubble point | filter test
pipette | micropipette | Pipette
reference standard | reference substance | Referenzstandard
test method | analytical method | analytical procedure | Prüfmethode
hygiene | personal hygiene | Hygiene | Personalhygiene | hygiène
post-market surveillance | vigilance | market surveillance
serious incident | serious adverse event | reportable incident
drug | drug product | medicine | medicinal product | pharmaceutical product | Arzneimittel | médicament
stability testing | stability study | shelf life study | shelf-life study | expiry testing | Haltbarkeitsprüfung
patient leaflet | package leaflet | package insert | patient information leaflet | PIL | Packungsbeilage
folding box | carton | Faltschachtel
packaging material | packing material | packaging component | Packmaterial | Packmittel | article de conditionnement
take back | taking back | call back | calling back | pull back | pull from the market | remove from the market
dirty hold time | clean hold time | standing time | Standzeit
swab | swab sample | wipe sample | Abstrich | écouvillon
contact plate | contact plates | RODAC plate | RODAC | Abklatschplatte | gélose contact
particle count | particle counter | particle monitoring | airborne particles | Partikelmessung
alert limit | alert level | warning limit | Warngrenze | seuil d'alerte
action limit | action level | Eingriffsgrenze | seuil d'action
smoke study | smoke test | airflow visualisation | airflow visualization | air flow pattern
differential pressure | pressure differential | pressure cascade | Differenzdruck
tank | reactor | Behälter | cuve
rubber closure | closure | Stopfen | bouchon
rework | reprocessing | reworking | Nacharbeit | retraitement
reject | rejected goods | rejection | scrap | Ausschuss | rebut
quarantine | blocked stock | Quarantäne | Sperrlager | quarantaine
destruction | disposal | Vernichtung | Entsorgung
waste | refuse | rubbish | Abfall | déchets
expiry date | expiration date | use-by date | retest date | Verfalldatum | date de péremption
trending | trend analysis | trend evaluation | Trendanalyse
regulator | regulatory authority | competent authority | health authority | regulatory agency | Behörde | autorité
audit finding | audit findings | audit observation | inspection finding | Feststellung | constat
management review | review by management | Managementbewertung | revue de direction
quality manual | quality handbook | Qualitätshandbuch | manuel qualité
site master file | SMF
yield | Ausbeute | rendement
weighing | dispensing | Einwaage | pesée
filling operation | Abfüllung | remplissage
moisture content | water content | Restfeuchte | humidité résiduelle
temperature excursion | temperature deviation | out of temperature | break of the cold chain | Temperaturabweichung
temperature probe | temperature sensor | thermocouple | thermometer | Temperaturfühler | sonde de température
power failure | power cut | power outage | blackout | Stromausfall | coupure de courant
business continuity | contingency plan | emergency plan | disaster recovery | Notfallplan
visitor | visitors | guests | Besucher | visiteurs
illness | sickness | disease | infection | Krankheit | maladie
hand washing | washing of hands | handwashing | Händewaschen | lavage des mains
eye test | vision test | eyesight test | visual acuity | Sehtest
trainee | trainees | learner | participant
trainer | trainers | instructor | teacher | Trainer | formateur
job description | role description | Stellenbeschreibung | fiche de poste
computer system | computerised system | IT system | software | Computersystem | système informatisé
cyber attack | ransomware | malware | hacker | computer virus
raw data | original data | source data | Rohdaten | données brutes
true copy | certified copy
logbook | log book | equipment log | usage log | Logbuch | cahier de route
retest | retesting | re-test | repeat test | repeat testing | repeat analysis | Wiederholungsprüfung
resampling | resample | re-sampling | repeat sampling
assay | content determination | Gehaltsbestimmung | dosage
related substances | impurities | degradation products | Verunreinigungen | impuretés
crushing strength | breaking force | resistance to crushing
microorganism | microorganisms | microbe | microbes | germ | germs | bacteria | Keime | germes
bioburden | microbial load | microbial count | Keimbelastung | charge microbienne
contamination | contaminant | pollution | Kontamination | Verunreinigung
sterile filtration | sterilising filtration | sterilizing filtration | Sterilfiltration
ethylene oxide | EtO | EO | gas sterilisation | Ethylenoxid
biological indicator | biological indicators | spore strip | Bioindikator
glassware washer | washing machine | parts washer | Spülmaschine | laveuse
carrier | haulier | freight forwarder | transport company | logistics provider | Spedition | transporteur
purchasing | procurement | buying | Einkauf | achats
quality agreement | technical agreement | Qualitätssicherungsvereinbarung | accord qualité
field safety corrective action | FSCA | field safety notice
biocompatibility | biological evaluation | Biokompatibilität
form | template | Formular | formulaire
author | writer | Verfasser | auteur
periodic review | regular review | Überprüfung | revue périodique
obsolete document | superseded document | outdated document | old version
fill-finish | fill and finish | aseptic filling | aseptische Abfüllung
investigation | enquiry | inquiry | Untersuchung | enquête
cause of the error | reason for the failure | underlying cause | origin of the problem
correcting an entry | wrong entry | correcting a mistake | correction of a record
glass breakage | broken glass | glass splinter | Glasbruch
foreign matter | foreign body | foreign particle | visible particles | Fremdkörper | corps étranger
outsourced activities | subcontracting | Fremdvergabe | sous-traitance
wholesaler | distributor | Großhändler | grossiste
sampling plan | AQL | acceptance quality limit | Stichprobenplan
leak test | leakage test | tightness test | Dichtigkeitsprüfung
water system | water treatment | Wasseranlage | traitement d'eau
compressed air | process gas | Druckluft | air comprimé
maintenance plan | service plan | Wartungsplan
lubricant | oil | grease | Schmiermittel
inventory | stock | stocktaking | Bestand | inventaire
order | customer order | Bestellung | commande
patient harm | harm to the patient | injury of the patient | Patientenschaden
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
`

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}+]+/gu, ' ')
    .trim()

/** Forms of a plural stand for the singular: the list names one of them. */
function singular(form: string) {
  if (form.endsWith('ies')) return `${form.slice(0, -3)}y`
  return /[^s]s$/.test(form) && form.length > 3 ? form.slice(0, -1) : form
}

/** The names of one thing, separated by `|`. */
const namesIn = (line: string) =>
  line
    .split('|')
    .map(name => name.trim())
    .filter(name => plain(name) !== '')

export interface Synonyms {
  /** The longest beginning of these words that is a known name, with all names of the same thing, the typed one first. */
  otherWords(words: readonly string[]): { length: number; forms: string[] } | undefined
  /** The names in a text, each with the other names of the same thing. */
  namesOf(text: string): { typed: string; others: string[] }[]
}

function synonymsOf(rings: readonly string[][]): Synonyms {
  const ringsByForm = new Map<string, string[]>()
  const add = (key: string, ring: readonly string[]) =>
    ringsByForm.set(key, [...new Set([...(ringsByForm.get(key) ?? []), ...ring])])
  for (const ring of rings) for (const key of new Set(ring.map(plain))) add(key, ring)
  for (const [form, ring] of [...ringsByForm]) if (!ringsByForm.has(singular(form))) add(singular(form), ring)
  const longest = Math.max(...[...ringsByForm.keys()].map(form => form.split(' ').length))
  const ringOf = (form: string) => ringsByForm.get(form) ?? ringsByForm.get(singular(form))

  /** The names of a text, each as long as possible, from left to right. */
  function* mentions(text: string) {
    const words = plain(text).split(' ')
    for (let index = 0; index < words.length; ) {
      let length = Math.min(longest, words.length - index)
      const phrase = () => words.slice(index, index + length).join(' ')
      while (length > 0 && !ringOf(phrase())) length--
      if (length > 0) yield { typed: phrase(), ring: ringOf(phrase())! }
      index += Math.max(1, length)
    }
  }

  return {
    otherWords(words) {
      for (let length = Math.min(longest, words.length); length > 0; length--) {
        const taken = words.slice(0, length)
        if (taken.includes('')) continue
        const typed = taken.join(' ')
        const ring = ringOf(plain(typed))
        if (ring) return { length, forms: [typed, ...ring.filter(form => plain(form) !== plain(typed))] }
      }
      return undefined
    },
    namesOf: text =>
      [...mentions(text)].map(({ typed, ring }) => ({ typed, others: ring.filter(form => plain(form) !== typed) })),
  }
}

const tradeRings = lines.trim().split('\n').map(namesIn)
export const tradeSynonyms = synonymsOf(tradeRings)

const maxKept = 50
const kept = new Map<string, Synonyms>()

/** The synonyms of the trade and those of a tenant, which are lines of the same form. */
export function synonymsWith(own: readonly string[]): Synonyms {
  if (own.length === 0) return tradeSynonyms
  const key = own.join('\n')
  const known = kept.get(key) ?? synonymsOf([...own.map(namesIn), ...tradeRings])
  keepNewest(kept, key, known, maxKept)
  return known
}
