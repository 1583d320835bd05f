import type { IncomingMessage, ServerResponse } from 'node:http'
import { grpcPrefix } from '../signals.ts'
import { refuseUnknown } from './answer.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** For the listener of gRPC: what is no call of OTLP's services ends here, in the words of gRPC. */
export function grpcOnly(handle: Handle): Handle {
	return (request, response) => {
		if (request.url?.startsWith(`/${grpcPrefix}`)) return handle(request, response)
		request.resume()
		refuseUnknown(response)
	}
}
