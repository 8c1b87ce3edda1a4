import { Button } from './button.tsx'
import { Foreign } from './foreign.tsx'

export type Difference = { name: string; mine: string; theirs: string }

/** Somebody else was faster: both versions, and what to do about it. */
export function Stale(props: { differences: readonly Difference[]; onMine: () => void; onTheirs: () => void }) {
  return (
    <div className="error-box" role="alert">
      <strong>Somebody else changed this meanwhile. Nothing was saved.</strong>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Yours</th>
            <th scope="col">There now</th>
          </tr>
        </thead>
        <tbody>
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
      <div className="row">
        <Button onClick={props.onTheirs}>Take what is there</Button>
        <Button onClick={props.onMine}>Save mine over it</Button>
      </div>
    </div>
  )
}
