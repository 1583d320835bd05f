import type { Gateway } from '../gateway.ts'
import type { Operation } from '../operation.ts'
import { planCallTool } from './call-tool.ts'
import { planForward } from './forward.ts'
import { planListTools } from './list-tools.ts'
import type { Plan } from './plan.ts'

/** What an operation that both eras know will do. */
export function planOperation(gateway: Gateway, operation: Operation): Plan {
	if (operation.request.method === 'tools/call') return planCallTool(gateway, operation)
	if (operation.request.method === 'tools/list') return planListTools(gateway, operation)
	return planForward(gateway, operation)
}
