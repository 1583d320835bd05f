/** Which calls a question looks at; each condition must hold. */
export interface CallFilter {
	kind?: string
	status?: string
	agent?: string
	server?: string
	tool?: string
	provider?: string
	model?: string
	connection?: string
	user?: string
	session?: string
	client?: string
	error_type?: string
}

/** The column of each condition: names come from here only, values go as parameters. */
const columns: Record<keyof CallFilter, string> = {
	kind: 'kind',
	status: 'status',
	agent: 'agent_id',
	server: 'server_id',
	tool: 'tool_name',
	provider: 'provider',
	model: "if(model != '', model, model_requested)",
	connection: 'connection',
	user: 'user_id',
	session: 'session_id',
	client: 'client',
	error_type: 'error_type',
}

/** ` AND …` for each condition, and its parameters. */
export function filterSql(filter: CallFilter): { sql: string; parameters: Record<string, unknown> } {
	const parameters: Record<string, unknown> = {}
	let sql = ''
	for (const [name, column] of Object.entries(columns)) {
		const value = filter[name as keyof CallFilter]
		if (value === undefined) continue
		sql += ` AND ${column} = {filter_${name}:String}`
		parameters[`filter_${name}`] = value
	}
	return { sql, parameters }
}
