import type { Schemas } from '../../api.ts'
import { formatCount } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
import { Panel } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'

/** Acknowledged = stored + in the log + quarantined; any remainder is lost. */
export function Conservation({ state }: { state: Schemas['RecorderState'] }) {
	const { acknowledged_rows, stored_rows, pending_rows, quarantined_rows } = state
	const lost = acknowledged_rows - stored_rows - pending_rows - quarantined_rows
	return (
		<Panel
			title="Nothing is lost"
			actions={
				lost === 0 ? (
					<Badge tone="ok">acknowledged = stored + in the log</Badge>
				) : (
					<Badge tone="bad">{formatCount(lost)} lost</Badge>
				)
			}
			flush
		>
			<dl className="grid grid-cols-2 gap-px overflow-hidden rounded-b-xl bg-line md:grid-cols-5">
				<Figure name="Acknowledged" value={acknowledged_rows} text="since the log’s first start" />
				<Figure name="Stored" value={stored_rows} text="in the telemetry store" />
				<Figure name="In the log" value={pending_rows} text="on disk, on their way" />
				<Figure
					name="Quarantined"
					value={quarantined_rows}
					text="kept, the store refuses them"
					tone={quarantined_rows > 0 ? 'text-warn' : ''}
				/>
				<Figure name="Lost" value={lost} text="damaged on disk" tone={lost === 0 ? 'text-ok' : 'text-bad'} />
			</dl>
		</Panel>
	)
}

function Figure({ name, value, text, tone }: { name: string; value: number; text: string; tone?: string }) {
	return (
		<div className="bg-surface px-4 py-3 last:max-md:col-span-2">
			<dt className="text-xs font-medium text-ink-3">{name}</dt>
			<dd className="mt-1">
				<span className={cn('text-2xl leading-8 font-semibold tracking-tight tabular-nums', tone)}>
					{formatCount(value)}
				</span>
				<span className="block text-xs text-ink-3">{text}</span>
			</dd>
		</div>
	)
}
