import { wordsOf } from './question.ts'

/** Words of requests that say what to do, and nothing about what. */
const DOING = new Set(
  `add adds added adding allow apply ask avoid begin better break bring build builds call carry change changed changes
  check clean close code complete continue copy cover create created creates cut delete describe design different drop
  easier edit enable ensure explain extend faster file files find finish first fix fixed fixes follow get give good
  handle help implement implements improve include install instead into keep know less let like list load look lot make
  makes manage mend more most move much must need needs new next now old one only open other own part plan prepare print
  project provide put read really refactor remove rename replace report review run runs see set show simple simplify
  slow small something start still stop support sure take tell test tests thing things think time totally try turn two
  update upgrade use used user users uses using want wants way well work works working write writes`.split(
    /\s+/,
  ),
)

/** Tags, flags and numbers are no subject. */
const NO_SUBJECT = /(?:^|\s)(?:#[\w-]+|--?[\w-]+(?:=\S*)?)(?=\s|$)/g
const NUMBER = /^\p{N}+$/u

/** The words of a request that say what it is about; none for one that only says what to do. */
export const subjectsOf = (request: string): readonly string[] =>
  wordsOf(request.replaceAll(NO_SUBJECT, ' ')).filter((word) => !DOING.has(word) && !NUMBER.test(word))
