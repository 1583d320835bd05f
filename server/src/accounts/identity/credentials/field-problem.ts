import { Problem } from '../../../platform/errors.ts'

export function fieldProblem(pointer: string, code: string, detail: string): Problem {
	return new Problem('invalid_request', `body${pointer}: ${detail}.`, { errors: [{ pointer, code, detail }] })
}
