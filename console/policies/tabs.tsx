import { usePathTo } from '../app/deployment.ts'
import { Tabs } from '../ui/page.tsx'

export function PolicyTabs({ current }: { current: 'policies' | 'ruleboards' }) {
  const to = usePathTo()
  return (
    <Tabs
      label="Policies and ruleboards"
      tabs={[
        { to: to('policies'), label: 'Policies', current: current === 'policies' },
        { to: to('ruleboards'), label: 'Ruleboards', current: current === 'ruleboards' },
      ]}
    />
  )
}
