import { Segmented } from '../../ui/segmented.tsx'
import { FormPanel } from '../../ui/settings-panels.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useCan } from '../identity/session.ts'
import { type Agent, useChangeAgent } from './queries.ts'

type ToolFace = Agent['tool_listing']

const faces = [
	{ value: 'all', label: 'All tools' },
	{ value: 'search', label: 'Tool search' },
	{ value: 'auto', label: 'By their size' },
] as const satisfies readonly { value: ToolFace; label: string }[]

const texts: Record<ToolFace, string> = {
	all: 'Every tool that is granted is in the list, with its definition.',
	search:
		'The list has two tools, find_tools and call_tool: the agent looks for what it needs, and its context stays small.',
	auto: 'Tool search from about 20,000 tokens of definitions on, all tools below that.',
}

/** How the granted tools are listed to an agent at the endpoint for all servers; what it may call does not change. */
export function ToolListingPanel({ agent }: { agent: Agent }) {
	const edited = useDraft({ tool_listing: agent.tool_listing }, `list of ${agent.uuid}`)
	const { draft, setDraft } = edited
	const canChange = useCan('agents:write')
	const save = useChangeAgent(agent)
	return (
		<FormPanel
			title="List of tools"
			busy={save.isPending}
			edited={edited}
			disabled={!canChange}
			error={save.error}
			onSave={() => save.mutate(draft)}
		>
			<Segmented<ToolFace>
				label="What the list of tools shows"
				value={draft.tool_listing}
				options={faces}
				disabled={!canChange}
				onChange={(tool_listing) => setDraft({ tool_listing })}
			/>
			<p className="text-ink-2">{texts[draft.tool_listing]}</p>
		</FormPanel>
	)
}
