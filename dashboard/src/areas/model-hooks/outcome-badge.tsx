import { Badge, type Tone } from '../../ui/status.tsx'
import type { HookOutcome } from './outcomes.ts'

const tones: Record<string, Tone> = { denied: 'warn', redacted: 'accent', allowed: 'ok', failed: 'bad' }

/** What became of it; of a dry run, what would have. */
export function OutcomeBadge({ outcome: { result, dry_run } }: { outcome: HookOutcome }) {
	return (
		<Badge tone={tones[result] ?? 'idle'}>
			{dry_run && result !== 'failed' ? `would have ${result}` : result}
		</Badge>
	)
}
