/** Attribute names that differ between two generations of the conventions for MCP. */
export interface Names {
	tool: string
	prompt: string
	requestId: string
	statusCode: string
	arguments: string
	result: string
}

const current: Names = {
	tool: 'gen_ai.tool.name',
	prompt: 'gen_ai.prompt.name',
	requestId: 'jsonrpc.request.id',
	statusCode: 'rpc.response.status_code',
	arguments: 'gen_ai.tool.call.arguments',
	result: 'gen_ai.tool.call.result',
}

const earlier: Names = {
	tool: 'mcp.tool.name',
	prompt: 'mcp.prompt.name',
	requestId: 'mcp.request.id',
	statusCode: 'rpc.jsonrpc.error_code',
	arguments: 'mcp.tool.arguments',
	result: 'mcp.tool.result',
}

export const namesOf = { current, earlier } as const
