import { Badge } from '../../ui/status.tsx'

export function DecisionBadge({ allowed }: { allowed: boolean }) {
	return (
		<Badge tone={allowed ? 'ok' : 'idle'} {...(!allowed && { icon: 'block' as const })}>
			{allowed ? 'allowed' : 'denied'}
		</Badge>
	)
}
