import { Badge } from '../../ui/status.tsx'
import type { Webhook } from './queries.ts'

export function WebhookState({ webhook }: { webhook: Webhook }) {
	if (webhook.enabled)
		return webhook.failing_since ? <Badge tone="warn">failing</Badge> : <Badge tone="ok">on</Badge>
	return webhook.disabled_reason ? (
		<Badge tone="bad">turned off</Badge>
	) : (
		<Badge tone="idle" icon="pause">
			off
		</Badge>
	)
}
