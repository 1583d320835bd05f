import { type PinReason, pinReasons } from '@signalbox/contract/constants'
import type { IconName } from '../../ui/icons.tsx'
import { Badge, type Tone } from '../../ui/status.tsx'
import type { PinnedTool } from './queries.ts'

type State = PinnedTool['state']

const looks: Record<State, { tone: Tone; icon: IconName; word: string; shown: string }> = {
	open: { tone: 'ok', icon: 'check', word: 'active', shown: 'Agents see the current definition.' },
	kept: {
		tone: 'accent',
		icon: 'review',
		word: 'kept',
		shown: 'Agents see the approved definition; their calls continue.',
	},
	suspended: {
		tone: 'warn',
		icon: 'block',
		word: 'suspended',
		shown: 'The tool is not listed, and its calls are refused.',
	},
}

export function PinBadge({ state }: { state: State }) {
	const { tone, icon, word } = looks[state]
	return (
		<Badge tone={tone} icon={icon}>
			{word}
		</Badge>
	)
}

/** What agents see of a tool, and why. */
export function describePin({ state, reason }: Pick<PinnedTool, 'state' | 'reason'>): string {
	return [reason && describeReason(reason), looks[state].shown].filter(Boolean).join(' ')
}

export function describeReason(reason: string): string {
	return reason in pinReasons ? pinReasons[reason as PinReason] : reason.replaceAll('_', ' ')
}
