import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../api.ts'
import { formatMs } from '../../lib/format.ts'
import { buttonClass } from '../../ui/button.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Panel } from '../../ui/page.tsx'
import { scrollRegion } from '../../ui/scroll-region.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { InlineError } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'

type Result = Schemas['ToolCallResult']
type View = 'text' | 'json'

const views = [
	{ value: 'text', label: 'Text' },
	{ value: 'json', label: 'JSON' },
] as const satisfies readonly { value: View; label: string }[]

/** The result of a call, its duration, and a link to its trace. */
export function ToolCallResult({ result, error }: { result: Result | undefined; error: unknown }) {
	const [view, setView] = useState<View>('text')
	if (error) return <InlineError error={error} />
	if (!result) return null
	const text = textOf(result.result)
	return (
		<Panel
			title={
				<span role="status" className="flex items-center gap-2">
					Result
					<Badge tone={result.is_error ? 'bad' : 'ok'}>{result.is_error ? 'error' : 'ok'}</Badge>
					<span className="font-normal text-ink-2 tabular-nums">{formatMs(result.duration_ms)}</span>
				</span>
			}
			actions={
				<>
					{text !== null && (
						<Segmented<View> label="Show as" value={view} options={views} onChange={setView} />
					)}
					<Link
						to="/traces/$traceId"
						params={{ traceId: result.trace_id }}
						className={buttonClass('secondary', true)}
					>
						Open the trace
					</Link>
				</>
			}
		>
			{text !== null && view === 'text' ? (
				<pre
					{...scrollRegion('Result text')}
					className="max-h-96 overflow-auto rounded-lg bg-sunken p-3 font-mono text-xs leading-relaxed whitespace-pre-wrap"
				>
					{text}
				</pre>
			) : (
				<JsonView value={result.error ?? result.result} label="Result" />
			)}
		</Panel>
	)
}

/** The text parts of a result, or null if it has other parts too. */
function textOf(result: unknown): string | null {
	const content = (result as { content?: unknown } | null)?.content
	if (!Array.isArray(content) || content.length === 0) return null
	const texts = content.map((part) => (part?.type === 'text' ? String(part.text) : null))
	return texts.includes(null) ? null : texts.join('\n\n')
}
