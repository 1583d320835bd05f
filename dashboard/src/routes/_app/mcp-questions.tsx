import { createFileRoute } from '@tanstack/react-router'
import { McpQuestionsScreen } from '../../areas/mcp-questions/mcp-questions-screen.tsx'
import { type McpSearch, parseMcpSearch } from '../../areas/mcp-questions/questions-search.ts'

export const Route = createFileRoute('/_app/mcp-questions')({
	validateSearch: (search: Record<string, unknown>): McpSearch => parseMcpSearch(search),
	component: McpQuestionsScreen,
})
