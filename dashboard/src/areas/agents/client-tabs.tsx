import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../api.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { insertKey } from './insert-key.ts'
import { installQuery } from './queries.ts'

interface ClientTabsProps {
	agentId: string
	/** Slug of one server; empty: everything that is granted. */
	server?: string
	/** The key itself if it is known; otherwise a placeholder is shown. */
	agentKey?: string
}

/** The complete configuration for each client. */
export function ClientTabs({ agentId, server = '', agentKey }: ClientTabsProps) {
	const { data, error, refetch } = useQuery(installQuery(agentId, server))
	const [client, setClient] = useState('claude-code')
	if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
	if (!data) return <SkeletonRows />
	const key = agentKey ?? data.key_placeholder
	return (
		<Tabs
			label="Client"
			value={client}
			onChange={setClient}
			tabs={data.clients.map(({ client, name, steps }) => ({
				value: client,
				label: name,
				content: (
					<div className="grid grid-cols-[minmax(0,1fr)] gap-3">
						{steps.map((step, index) => (
							<div key={step.text} className="grid grid-cols-[minmax(0,1fr)] gap-1">
								{index > 0 && <p className="text-ink-3">or</p>}
								<Step step={step} name={name} text={insertKey(step, data.key_placeholder, key)} />
							</div>
						))}
					</div>
				),
			}))}
		/>
	)
}

function Step({ step, name, text }: { step: Schemas['InstallStep']; name: string; text: string }) {
	if (step.kind !== 'link')
		return (
			<CodeBlock code={text.trimEnd()} label={step.kind === 'file' ? (step.path ?? 'File') : 'Terminal'} />
		)
	return (
		<a href={text} className={`${buttonClass('secondary')} justify-self-start`}>
			Add to {name}
		</a>
	)
}
