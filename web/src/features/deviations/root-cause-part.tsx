import { Check, Plus, X } from 'lucide-react'
import { Checkbox } from 'react-aria-components'
import { type Editing, Part, Written } from '../../records/case/part.tsx'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { useMe } from '../session/session.ts'
import { canEdit, caseOf, type Deviation, type RootCause, save } from './deviation.ts'
import styles from './root-cause.module.css'
import {
  type Bone,
  bones,
  type Cause,
  type CauseFields,
  causeCategories,
  causeOf,
  fieldsOf,
  isWhole,
  methods,
  mostWhys,
  type Why,
} from './root-cause.ts'
import { useDeviationWords } from './words.ts'

export function RootCausePart({ of: deviation }: { of: Deviation }) {
  const w = useDeviationWords()
  const { root_cause } = deviation
  return (
    <Part
      of={caseOf(deviation)}
      name="root-cause"
      title={w.rootCause}
      canEdit={canEdit(deviation, 'investigation', useMe())}
      before={fieldsOf(root_cause)}
      isComplete={isWhole}
      form={editing => <CauseForm {...editing} />}
      send={(fields, sent) => save(deviation, { root_cause: causeOf(fields) }, sent)}
    >
      {root_cause ? <CauseShown of={root_cause} /> : <Written text={null} />}
    </Part>
  )
}

function CauseShown({ of: { method, category, summary, steps } }: { of: RootCause }) {
  const w = useDeviationWords()
  return (
    <div className={styles.cause}>
      <p className={styles.facts}>
        <span>{w.methods[method].name}</span>
        <span className={styles.category}>{w.causeCategories[category]}</span>
      </p>
      {Array.isArray(steps) && <Whys of={steps} />}
      {method === 'fishbone' && steps && !Array.isArray(steps) && (
        <Fishbone causes={steps as CauseFields['causes']} effect={summary} />
      )}
      {method !== 'fishbone' && (
        <div className={styles.root}>
          <h3>{w.summary}</h3>
          <Written text={summary} />
        </div>
      )}
    </div>
  )
}

/** Each answer is what the next question asks about. */
function Whys({ of: whys }: { of: Why[] }) {
  return (
    <ol className={styles.whys}>
      {whys.map(({ why, because }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the steps of one analysis have nothing else that they are known by
        <li key={index}>
          <span className={styles.step} aria-hidden="true">
            {index + 1}
          </span>
          <div>
            <p className={styles.why}>{why}</p>
            <p>{because}</p>
          </div>
        </li>
      ))}
    </ol>
  )
}

/** Six bones on a spine that leads to the effect; what contributed is marked. */
function Fishbone({ causes, effect }: { causes: CauseFields['causes']; effect: string }) {
  const w = useDeviationWords()
  return (
    <figure className={styles.fish} aria-label={w.methods.fishbone.name}>
      {bones.map(bone => (
        <section key={bone} className={styles.bone}>
          <h3>{w.bones[bone]}</h3>
          {(causes[bone] ?? []).length > 0 ? (
            <ul>
              {causes[bone]!.map(({ cause, is_contributing }) => (
                <li key={cause} className={is_contributing ? styles.contributing : ''}>
                  {cause}
                  {is_contributing && <span className={styles.tag}>{w.contributing}</span>}
                </li>
              ))}
            </ul>
          ) : (
            <p className="soft">{w.noCause}</p>
          )}
        </section>
      ))}
      <div className={styles.spine} aria-hidden="true" />
      <figcaption className={styles.effect}>
        <h3>{w.summary}</h3>
        <Written text={effect} />
      </figcaption>
    </figure>
  )
}

function CauseForm({ fields, change, problem, isTried }: Editing<CauseFields>) {
  const w = useDeviationWords()
  const { method, category, summary, whys, causes } = fields
  const missing = (isMissing: boolean, text: string) => (isTried && isMissing ? text : undefined)
  const steps =
    problem?.of('steps') ??
    missing(method !== '' && !isWhole({ ...fields, summary: 'x', category: 'other' }), w.missing.steps)
  return (
    <>
      <Choice
        label={w.method}
        isRequired
        options={methods.map(id => ({ id, ...w.methods[id] }))}
        value={method}
        onChange={next => change({ method: next })}
        wrong={problem?.of('method') ?? missing(method === '', w.missing.method)}
      />
      {method === 'five_whys' && <WhysForm whys={whys} onChange={next => change({ whys: next })} />}
      {method === 'fishbone' && <FishboneForm causes={causes} onChange={next => change({ causes: next })} />}
      {steps && (
        <p className={styles.wrong} role="alert">
          {steps}
        </p>
      )}
      <Select
        label={w.causeCategory}
        isRequired
        placeholder={w.choose}
        options={causeCategories.map(id => ({ id, name: w.causeCategories[id] }))}
        value={category}
        onChange={next => change({ category: next as CauseFields['category'] })}
        wrong={problem?.of('category') ?? missing(category === '', w.missing.category)}
      />
      <Field
        label={w.summary}
        rows={3}
        isRequired
        value={summary}
        onChange={next => change({ summary: next })}
        wrong={problem?.of('summary') ?? missing(summary.trim() === '', w.missing.summary)}
      />
    </>
  )
}

function WhysForm({ whys, onChange }: { whys: Why[]; onChange: (whys: Why[]) => void }) {
  const w = useDeviationWords()
  const set = (index: number, next: Partial<Why>) => onChange(whys.with(index, { ...whys[index]!, ...next }))
  return (
    <fieldset className={styles.entry}>
      <legend className="visually-hidden">{w.methods.five_whys.name}</legend>
      <ol className={styles.whys}>
        {whys.map(({ why, because }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps of one analysis have nothing else that they are known by
          <li key={index}>
            <span className={styles.step} aria-hidden="true">
              {index + 1}
            </span>
            <div className={styles.lines}>
              <Field label={w.why(index + 1)} value={why} onChange={next => set(index, { why: next })} />
              <Field label={w.because} rows={2} value={because} onChange={next => set(index, { because: next })} />
            </div>
            {whys.length > 1 && (
              <Button
                look="icon"
                label={w.dropWhy(index + 1)}
                icon={X}
                onPress={() => onChange(whys.toSpliced(index, 1))}
              />
            )}
          </li>
        ))}
      </ol>
      {whys.length < mostWhys && (
        <div>
          <Button icon={Plus} onPress={() => onChange([...whys, { why: '', because: '' }])}>
            {w.addWhy}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

interface FishboneFormProps {
  causes: CauseFields['causes']
  onChange: (causes: CauseFields['causes']) => void
}

function FishboneForm({ causes, onChange }: FishboneFormProps) {
  const w = useDeviationWords()
  const set = (bone: Bone, next: Cause[]) => onChange({ ...causes, [bone]: next })
  return (
    <div className={styles.boneForms}>
      {bones.map(bone => {
        const own = causes[bone] ?? []
        return (
          <fieldset key={bone} className={styles.entry}>
            <legend>{w.bones[bone]}</legend>
            {own.map((cause, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the causes of one analysis have nothing else that they are known by
              <div key={index} className={styles.causeLine}>
                <Field
                  label={w.causeNumber(index + 1)}
                  value={cause.cause}
                  onChange={next => set(bone, own.with(index, { ...cause, cause: next }))}
                />
                <Checkbox
                  className={styles.check!}
                  isSelected={cause.is_contributing ?? false}
                  onChange={is_contributing => set(bone, own.with(index, { ...cause, is_contributing }))}
                >
                  {({ isSelected }) => (
                    <>
                      <span className={styles.box}>
                        {isSelected && <Check size={12} strokeWidth={3} aria-hidden="true" />}
                      </span>
                      {w.contributing}
                    </>
                  )}
                </Checkbox>
                <Button
                  look="icon"
                  label={w.dropCause(cause.cause)}
                  icon={X}
                  onPress={() => set(bone, own.toSpliced(index, 1))}
                />
              </div>
            ))}
            <div>
              <Button
                look="quiet"
                icon={Plus}
                aria-label={w.addCauseTo(w.bones[bone])}
                onPress={() => set(bone, [...own, { cause: '' }])}
              >
                {w.addCause}
              </Button>
            </div>
          </fieldset>
        )
      })}
    </div>
  )
}
