const extensions = { 'io.modelcontextprotocol/tasks': {} }

/** For `_meta` of a request of 2026-07-28. */
export const declaresTasks = { 'io.modelcontextprotocol/clientCapabilities': { extensions } }
