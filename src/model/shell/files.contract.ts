import { shellFiles } from './files.ts'

/** Where the commands of the tests run. */
export const CWD = '/p'
export const HOME = '/home/u'

export const reads = (command: string) => shellFiles(command, CWD, HOME).reads.paths
export const writes = (command: string) => shellFiles(command, CWD, HOME).writes.paths

/** Words and signs that mean something to a shell. */
export const PIECES =
  'cat head cd for in do done if then fi case esac eval bash xargs find -exec read ls echo printf %s export set -- -c {} < > << <<- <<< <( ( ) (( )) [[ ]] $( $(( $[ ` \' " $\' $" \\ $ ${ :- [@] { } , .. | & ; ;; # ~ * ! = f() coproc a.md f= F=( $f EOF'.split(
    ' ',
  )
