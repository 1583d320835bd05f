import type { Surface } from '../provider.ts'
import { surfaceTable } from '../surface-table.ts'

const ran = (operation: string, format: string): Surface => ({
	operation,
	modelCall: true,
	listed: true,
	format,
})

/** The known paths of Bedrock's runtime; docs/model-proxy.md has the list. */
export const surfaceOf = surfaceTable({
	'POST model/{model}/converse': ran('chat', 'converse'),
	'POST model/{model}/converse-stream': ran('chat', 'converse'),
	'POST model/{model}/invoke': ran('invoke', 'invoke'),
	'POST model/{model}/invoke-with-response-stream': ran('invoke', 'invoke'),
	'POST model/{model}/count-tokens': { operation: 'count_tokens', modelCall: false, listed: true },
})
