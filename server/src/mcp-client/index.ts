export { JsonFault } from '../platform/json/json-scan.ts'
export { parseJsonText } from '../platform/json/parse-json.ts'
export { Cancellation } from './cancellation.ts'
export {
	Exchange,
	type ExchangeEnd,
	type ExchangeRequest,
	exchangeOnce,
	StartedExchange,
} from './exchange.ts'
export {
	afterSending,
	failureOf,
	invalidParams,
	invalidRequest,
	isServersOwn,
	methodNotFound,
	namedFailure,
	RpcFailure,
	rpcCodes,
	toFailure,
} from './failure.ts'
export { decodeHeaderText, encodeHeaderText, nameHeaderOf } from './header-text.ts'
export { endLegacySession, type LegacySession, openLegacySession, ServerStream } from './legacy-session.ts'
export {
	batchVersion,
	errorMessage,
	idOf,
	idText,
	isObject,
	type JsonObject,
	metaOf,
	progressTokenOf,
	type RequestId,
	type RpcMessage,
	type RpcNotification,
	type RpcRequest,
	type RpcResponse,
	readMessage,
	resultMessage,
} from './message.ts'
export { PipeExchange } from './pipe/pipe-exchange.ts'
export { PipePeer } from './pipe/pipe-peer.ts'
export { objectIn, parseRpc, type RpcObject, readPlainCall } from './pipe/rpc-text.ts'
export {
	type ClientBody,
	metaOfRequest,
	type PlainAnswer,
	RawRequest,
	readEventAnswer,
	readFromClient,
	readJsonAnswer,
} from './raw-message.ts'
export {
	type Era,
	envelope,
	eraOf,
	legacyVersions,
	modernHeaders,
	modernListen,
	modernVersions,
	ownMeta,
} from './revisions.ts'
export { LingeringExchanges, noAnswer, type SendContext, sendOneWay, sendRequest } from './send-request.ts'
export { NoEventStream, SseDispatcher } from './sse-2024.ts'
export { isSamePlace, isSameTarget, type McpServer, ownProcessHeader, targetOf } from './target.ts'
export {
	CredentialsRefused,
	HttpStatus,
	SessionLost,
	toUpstreamFailure,
	upstreamFailure,
} from './upstream-failure.ts'
