/** The Zod schemas of records: for programs that store or exchange servers, calls and what servers list. */

export {
  type NewServerRecord,
  newServerRecordSchema,
  type ServerRecord,
  serverRecordSchema,
  toServerSpec,
} from './config/server-record.ts';
export {
  assistantToolsSchema,
  callRecordSchema,
  promptSchema,
  resourceSchema,
  serverContentSchema,
  toolCallSchema,
  toolDefinitionSchema,
  transportSchema,
} from './storage/record-schemas.ts';
