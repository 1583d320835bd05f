import { useState } from 'react'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { clientSnippets } from './client-snippets.ts'

/** The finished configuration for each client. */
export function ClientTabs({ origin, agentKey }: { origin: string; agentKey: string }) {
	const snippets = clientSnippets(origin, agentKey)
	const [client, setClient] = useState('claude-code')
	return (
		<Tabs
			label="Client"
			value={client}
			onChange={setClient}
			tabs={snippets.map((snippet) => ({
				value: idOf(snippet.client),
				label: snippet.client,
				content: (
					<>
						<CodeBlock code={snippet.code} label={snippet.place} />
						{snippet.link && (
							<a href={snippet.link} className={`${buttonClass('secondary', true)} mt-2`}>
								Add to {snippet.client}
							</a>
						)}
					</>
				),
			}))}
		/>
	)
}

/** Tabs make element ids of their values, which hold no spaces. */
function idOf(client: string): string {
	return client.toLowerCase().replaceAll(' ', '-')
}
