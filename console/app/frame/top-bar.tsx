import { queryClient } from '../../api/ask.ts'
import { signOut, useSessionState } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/overlays/menu.tsx'
import { go } from '../address/location.ts'
import { chooseAppearance, storedAppearance } from '../appearance.ts'
import { useDeployment } from '../deployment.ts'
import { ExpiringTokens } from './expiring-tokens.tsx'

export async function leave(): Promise<void> {
  await signOut()
  // Nothing of this person may be left for the next one.
  queryClient.clear()
  go('/sign-in')
}

function isDark(): boolean {
  const { theme } = storedAppearance()
  return theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark'
}

export function TopBar({ onSearch, onKeys }: { onSearch: () => void; onKeys: () => void }) {
  const deployment = useDeployment()
  const { session } = useSessionState()
  const others = session?.deployments.filter((each) => each.id !== deployment.id) ?? []
  return (
    <header className="top">
      <button type="button" className="search-button" onClick={onSearch} aria-keyshortcuts="Control+K">
        <Icon name="search" />
        <span className="label">Search packages, CVEs, repositories…</span>
        <kbd className="push">Ctrl K</kbd>
      </button>
      <div className="row push tight">
        <ExpiringTokens />
        <Button
          look="icon"
          aria-label="Switch between light and dark"
          onClick={() => chooseAppearance({ theme: isDark() ? 'light' : 'dark' })}
        >
          <Icon name="moon" />
        </Button>
        <span className="who">
          {deployment.name} · {deployment.role}
        </span>
        <Menu
          label="Account and deployment"
          items={[
            ...others.map((each) => ({ label: `Go to ${each.name}`, run: () => go(`/d/${each.slug}`) })),
            { label: 'Profile and appearance', run: () => go('/me') },
            { label: 'Keyboard shortcuts', key: '?', run: onKeys },
            { label: 'API reference', run: () => window.location.assign('/docs') },
            { label: 'Sign out', run: () => void leave() },
          ]}
        >
          <Icon name="person" />
          <Icon name="down" size={12} />
        </Menu>
      </div>
    </header>
  )
}
