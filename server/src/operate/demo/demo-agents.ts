import { type DemoTool, demoServers } from './demo-servers.ts'

/** An agent of the demo: how it is created and how it calls. */
export interface DemoAgent {
	key: 'support' | 'release' | 'coding' | 'research'
	name: string
	description: string
	/** Its system prompt. */
	system: string
	/** Its program writes the time into the system prompt, so no two prompts have a common beginning. */
	promptHasTime?: true
	/** Name and version of its client program. */
	client: readonly [name: string, version: string]
	/** Server's host → terms of the grant. */
	grants: Readonly<Record<string, GrantBody>>
}

const all: GrantBody = { access_mode: 'all' }
const only = (...allowed_tools: string[]): GrantBody => ({ access_mode: 'selected', allowed_tools })

export const demoAgents: readonly DemoAgent[] = [
	{
		key: 'support',
		name: 'Support triage',
		description: 'Sorts what customers write in, and files issues',
		system:
			'You sort what customers write. Look for known issues first; file a new one only if there is none.',
		promptHasTime: true,
		client: ['support-desk', '3.2.0'],
		grants: {
			issues: only('list_issues', 'get_issue', 'create_issue'),
			docs: all,
			// Unused on that day.
			billing: only('find_invoice'),
		},
	},
	{
		key: 'release',
		name: 'Release bot',
		description: 'Builds, and cleans up after releases',
		system: 'You keep the builds of release branches going. Say in one sentence what you did.',
		client: ['release-bot', '1.9.4'],
		grants: { issues: all, builds: all },
	},
	{
		key: 'coding',
		name: 'Coding assistant',
		description: 'Works with developers in their editor',
		system: 'You help developers in their editor. Read before you change anything.',
		client: ['claude-code', '2.1.90'],
		grants: {
			issues: { ...only('list_issues', 'get_issue', 'delete_issue'), approval: { delete_issue: 'ask' } },
			builds: only('list_builds', 'get_build_log'),
			docs: all,
		},
	},
	{
		key: 'research',
		name: 'Nightly research',
		description: 'Reads manuals at night and writes summaries',
		system: 'You read manuals and write a summary of each chapter.',
		client: ['research-runner', '0.4.1'],
		grants: { docs: all },
	},
]

/** The body of a grant, without the agent. */
interface GrantBody {
	access_mode: 'all' | 'selected'
	allowed_tools?: readonly string[]
	approval?: Readonly<Record<string, 'ask'>>
}

/** The tools that its client offers to the model: all that it is granted. */
export function offeredTo({ grants }: DemoAgent): DemoTool[] {
	return demoServers.flatMap(({ host, tools }) => {
		const grant = grants[host]
		if (!grant) return []
		return tools.filter(({ name }) => grant.access_mode === 'all' || grant.allowed_tools?.includes(name))
	})
}
