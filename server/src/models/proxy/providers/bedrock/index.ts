import type { ModelProvider } from '../provider.ts'
import { newConverseReader } from './converse-reader.ts'
import { authorize, ownKeyHeaders } from './credentials.ts'
import { errorBody, errorEvent } from './errors.ts'
import { newInvokeReader } from './invoke-reader.ts'
import { surfaceOf } from './surfaces.ts'

export const bedrock: ModelProvider = {
	authorize,
	ownKeyHeaders,
	surfaceOf,
	newReader: ({ format, model = '' }) => (format === 'invoke' ? newInvokeReader(model) : newConverseReader()),
	errorBody,
	errorEvent,
	// The runtime lists no models. Who may not sign gets 403 before the model's name is looked at.
	probe: () => ({
		method: 'POST',
		path: 'model/signalbox-probe/converse',
		headers: { 'content-type': 'application/json' },
		body: '{"messages":[]}',
		accepted: [400, 404],
	}),
}
