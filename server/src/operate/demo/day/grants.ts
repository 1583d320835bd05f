/** The body of a grant, but for the agent. */
export interface GrantBody {
	access_mode: 'all' | 'selected'
	allowed_tools?: readonly string[]
	approval?: Readonly<Record<string, 'ask'>>
}
