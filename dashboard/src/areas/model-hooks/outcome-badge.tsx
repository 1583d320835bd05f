import { Badge, type Tone } from '../../ui/status.tsx'
import type { HookOutcome } from './outcomes.ts'

const tones: Record<string, Tone> = { denied: 'warn', redacted: 'accent', allowed: 'ok', failed: 'bad' }

/** The result; for a dry run, what it would have been. */
export function OutcomeBadge({ outcome: { result, dry_run } }: { outcome: HookOutcome }) {
	return (
		<Badge tone={tones[result] ?? 'idle'}>
			{dry_run && result !== 'failed' ? `would have ${result}` : result}
		</Badge>
	)
}
