import { createRoot } from 'react-dom/client'
import { asProblem } from './api/problem.ts'
import { watchReauthentication } from './api/reauthentication.ts'
import { loadSession, watchOtherWindows, watchSessionEnd } from './api/session.ts'
import { App } from './app/app.tsx'
import { ErrorBox } from './ui/states.tsx'

const root = createRoot(document.getElementById('root')!)

async function start(): Promise<void> {
  try {
    await loadSession()
    watchSessionEnd()
    watchOtherWindows()
    watchReauthentication()
    root.render(<App />)
  } catch (error) {
    root.render(
      <main className="sign-in">
        <div className="box">
          <h1>Gatehouse does not answer</h1>
          <ErrorBox problem={asProblem(error)} retry={() => void start()} />
        </div>
      </main>,
    )
  }
}

void start()
