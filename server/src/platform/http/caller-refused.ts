import type { ProblemCode } from '@signalbox/contract'
import { Problem } from '../errors.ts'
import type { Principal } from './principal.ts'

/** A refusal of somebody who is known, thrown by `authenticate`: the audit log names them. */
export class CallerRefused extends Problem {
	readonly principal: Principal

	constructor(principal: Principal, code: ProblemCode, detail: string) {
		super(code, detail)
		this.principal = principal
	}
}
