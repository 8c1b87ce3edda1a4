import { Button } from './button.tsx'
import { Foreign } from './text/foreign.tsx'

export type Difference = { name: string; mine: string; theirs: string }

/** What is there now: its version, and what the fields of the form would say; secrets are never among them. */
export type Current = { etag: string | undefined; fields: readonly { name: string; label: string; value: string }[] }

export function differencesOf({ fields }: Current, mine: (name: string) => string): Difference[] {
  return fields
    .map(({ name, label, value }) => ({ name: label, mine: mine(name), theirs: value }))
    .filter((each) => each.mine !== each.theirs)
}

/** Somebody else was faster: both versions, and what to do about it. */
export function Stale(props: { differences: readonly Difference[]; onMine: () => void; onTheirs: () => void }) {
  return (
    <div className="error-box" role="alert">
      <strong>Somebody else changed this meanwhile. Nothing was saved.</strong>
      <Differences
        differences={props.differences}
        mine="Yours"
        none="Yours says the same in every field that is shown here."
      />
      <div className="row">
        <Button onClick={props.onTheirs}>Take what is there</Button>
        <Button onClick={props.onMine}>Save mine over it</Button>
      </div>
    </div>
  )
}

/** The same for what is to be deleted, which is then deleted as it is now, or not. */
export function StaleDelete({ differences }: { differences: readonly Difference[] }) {
  return (
    <div className="error-box" role="alert">
      <strong>Somebody else changed this meanwhile. Nothing was deleted.</strong>
      <Differences
        differences={differences}
        mine="As you saw it"
        none="It is the same in every field that is shown here."
      />
    </div>
  )
}

function Differences(props: { differences: readonly Difference[]; mine: string; none: string }) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">{props.mine}</th>
          <th scope="col">There now</th>
        </tr>
      </thead>
      <tbody>
        {props.differences.length === 0 && (
          <tr>
            <td colSpan={3}>{props.none}</td>
          </tr>
        )}
        {props.differences.map((each) => (
          <tr key={each.name}>
            <th scope="row">{each.name}</th>
            <td>
              <Foreign text={each.mine} clamp={300} />
            </td>
            <td>
              <Foreign text={each.theirs} clamp={300} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
