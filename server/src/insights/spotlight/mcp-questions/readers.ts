import type { McpContext, McpQuestion } from './context.ts'
import { readDefinitionChanges } from './definition-changes.ts'
import { readInvalidArguments } from './invalid-arguments.ts'
import { readOverlaps } from './overlaps.ts'
import { readRetryLoops } from './retry-loops.ts'
import { readToolSelection } from './tool-selection.ts'
import { readUnregisteredServers } from './unregistered-servers.ts'

/** What answers each question, under the name of its list. */
export const readers = {
	tool_selection: readToolSelection,
	definition_changes: readDefinitionChanges,
	invalid_arguments: readInvalidArguments,
	retry_loops: readRetryLoops,
	overlaps: readOverlaps,
	unregistered_servers: readUnregisteredServers,
} satisfies Record<string, (context: McpContext, asked: McpQuestion) => Promise<object>>
