import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { basePath, uiPath } from '../../lib/base-url.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Panel } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'
import { useMe } from '../identity/session.ts'
import { type Demo, demoQuery } from './queries.ts'

// Loaded lazily, so that the first screen does not wait for what only a dialog needs.
const Confirm = lazy(async () => ({ default: (await import('../../ui/confirm.tsx')).Confirm }))

const names = {
	agent_loop: 'Agent stuck in a loop',
	changed_tool: 'A tool changed',
	budget_breach: 'Budget exceeded',
} as const satisfies Record<Demo['highlights'][number]['kind'], string>

/** On the first screen of the demo: what it is, what to look at, and how to delete it. */
export function DemoPanel() {
	const { operator } = useMe()
	const { data } = useQuery(demoQuery)
	const [isRemoving, setIsRemoving] = useState(false)
	if (!data) return null
	const remove = async () => {
		await unwrap(api.DELETE('/v1/demo'))
		location.assign(`${basePath}/ui/`)
	}
	return (
		<Panel
			title="This is a demo"
			actions={
				<Button small icon="trash" disabled={!operator} onClick={() => setIsRemoving(true)}>
					Remove the demo
				</Button>
			}
		>
			<p className="text-ink-2">
				A day of calls of four agents, replayed through this instance: evaluated, recorded and priced like
				real ones.
				{data.state === 'making' && ' It is still being created.'}
				{data.state === 'failed' && ' It could not be created; remove it, and try again.'}
			</p>
			<ul className="mt-3 grid gap-2 lg:grid-cols-3">
				{data.highlights.map(({ kind, text, path }) => (
					<li key={kind} className="grid">
						<a
							href={`${uiPath()}${path}`}
							className="flex items-start gap-2 rounded-lg border border-line p-3 hover:bg-hover"
						>
							<span className="min-w-0 flex-1">
								<Badge tone="warn">{names[kind]}</Badge>
								<span className="mt-1.5 block text-ink-2">{text}</span>
							</span>
							<Icon name="chevron" className="mt-0.5 shrink-0 text-ink-3" />
						</a>
					</li>
				))}
			</ul>
			{isRemoving && (
				<Suspense fallback={null}>
					<Confirm
						open
						onClose={() => setIsRemoving(false)}
						title="Remove the demo?"
						text="Deletes the workspace and everything in it: agents, servers, keys and all recorded data. You can create it again."
						action="Remove the demo"
						run={remove}
					/>
				</Suspense>
			)}
		</Panel>
	)
}
