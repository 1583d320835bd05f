export { currentTrace, inTrace, traceHeaders } from './current-trace.ts'
export { beginTrace, readTrace, type TraceContext, traceparentOf } from './current-trace.ts'
