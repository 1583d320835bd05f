import { Badge } from '../../ui/status.tsx'
import type { Hook } from './queries.ts'

/** Whether a hook is active. */
export function HookState({ hook: { enabled, mode } }: { hook: Pick<Hook, 'enabled' | 'mode'> }) {
	if (!enabled) return <Badge tone="warn">off</Badge>
	return mode === 'enforce' ? <Badge tone="ok">enforced</Badge> : <Badge tone="idle">dry run</Badge>
}
