export {
	beginTrace,
	currentTrace,
	inTrace,
	readTrace,
	type TraceContext,
	traceHeaders,
	traceparentOf,
} from './current-trace.ts'
