# The guard: one small shell beside the server, on a channel of its own. It
# knows who belongs to the run and ends them when it is told to, when nobody has
# been in touch for the lease, or when its standard input ends because the
# connection is gone. Sent line by line with comments and indents stripped;
# MARK, LEASE are set in front of it. Plain POSIX, no files, no functions of any
# one shell.

set -f
trap '' PIPE HUP
GROUP=0 RUN=0 ALONE= TIMER=
NL='
' CLOSE=') '

# Where to look: /proc with the marks in it, /proc without, or ps alone.
PROC= MARKS=
[ -r /proc/$$/stat ] && PROC=1
[ -n "$PROC" ] && [ -r /proc/$$/environ ] && command -v grep >/dev/null 2>&1 && MARKS=1

# list sets LIST: a line "pid ppid pgid" for each process that is not dead, and
# in RSS one "pid:rss" each.
list() {
	LIST= RSS=
	if [ -n "$PROC" ]; then
		set +f
		ALL=$(cat /proc/[0-9]*/stat 2>/dev/null)
		set -f
		IFS=$NL
		for LINE in $ALL; do
			IFS=' '
			PID=${LINE%% *}
			set -- ${LINE##*"$CLOSE"}
			case $PID in '' | *[!0-9]*) continue ;; esac
			case $1 in Z | X | x) continue ;; esac
			case $2$3 in '' | *[!0-9]*) continue ;; esac
			LIST="$LIST$PID $2 $3$NL" RSS="$RSS $PID:${22:-0}"
		done
	else
		ALL=$(ps -A -o pid= -o ppid= -o pgid= -o rss= -o stat= 2>/dev/null)
		IFS=$NL
		for LINE in $ALL; do
			IFS=' '
			set -- $LINE
			case ${5:-Z} in Z*) continue ;; esac
			LIST="$LIST$1 $2 $3$NL" RSS="$RSS $1:$4"
		done
	fi
	IFS=' '
}

# look sets FOUND to the pids of the run: those that carry the mark, those of
# the group, and the descendants of both.
look() {
	FOUND=' '
	if [ -n "$MARKS" ]; then
		set +f
		MARKED=$(grep -lsF "$MARK" /proc/[0-9]*/environ 2>/dev/null)
		set -f
		IFS=$NL
		for LINE in $MARKED; do
			LINE=${LINE#/proc/}
			FOUND="$FOUND${LINE%/environ} "
		done
		IFS=' '
	fi
	list
	LIVE=' ' INGROUP=' ' GROWN=1
	while [ -n "$GROWN" ]; do
		GROWN=
		IFS=$NL
		for LINE in $LIST; do
			IFS=' '
			set -- $LINE
			case $LIVE in *" $1 "*) continue ;; esac
			[ "$1" -gt 1 ] && [ "$1" != "$$" ] || continue
			if [ "$GROUP" -gt 1 ] && [ "$3" = "$GROUP" ]; then
				INGROUP="$INGROUP$1 "
			else
				case $FOUND in *" $1 "* | *" $2 "*) ;; *) continue ;; esac
			fi
			case $FOUND in *" $1 "*) ;; *) FOUND="$FOUND$1 " ;; esac
			LIVE="$LIVE$1 " GROWN=1
		done
		IFS=' '
	done
	FOUND=$LIVE
}

# tell PREFIX PIDS... writes two lines for each process: numbers and command.
tell() {
	PREFIX=$1
	shift
	for PID in $*; do
		REST=${RSS#* $PID:}
		PARENT=0
		IFS=$NL
		for LINE in $LIST; do
			case $LINE in "$PID "*)
				PARENT=${LINE#* }
				PARENT=${PARENT%% *}
				break
				;;
			esac
		done
		IFS=' '
		echo "$PREFIX $PID $PARENT ${REST%% *}"
		if [ -n "$PROC" ]; then
			{ dd bs=4096 count=1 </proc/$PID/cmdline | tr '\000\n' '  '; } 2>/dev/null
		else
			ps -o args= -p $PID 2>/dev/null | tr '\n' ' '
		fi
		echo
	done
}

# strike SIGNAL PIDS...
strike() {
	SIGNAL=$1
	shift
	[ "$INGROUP" != ' ' ] && kill -$SIGNAL -$GROUP 2>/dev/null
	for PID in $*; do
		case $INGROUP in *" $PID "*) ;; *) kill -$SIGNAL $PID 2>/dev/null ;; esac
	done
}

# pause is a moment: a tenth of a second where sleep can do that.
pause() { sleep 0.1 2>/dev/null || sleep 1; }

# slay kills until three looks in a row find nobody, or gives up. It tells
# whom it killed, once each, and who is left.
slay() {
	ROUND=0 CALM=0 TOLD=' '
	while [ $ROUND -lt 40 ]; do
		look
		if [ "$FOUND" = ' ' ]; then
			CALM=$((CALM + 1))
			[ "$TOLD" = ' ' ] && break
			[ $CALM -ge 3 ] && break
			continue
		fi
		CALM=0 NEW=
		for PID in $FOUND; do
			case $TOLD in *" $PID "*) ;; *) NEW="$NEW $PID" TOLD="$TOLD$PID " ;; esac
		done
		[ -n "$1" ] && [ -n "$NEW" ] && tell M $NEW
		strike KILL $FOUND
		ROUND=$((ROUND + 1))
		[ $ROUND -gt 3 ] && pause
	done
	[ -n "$1" ] && [ "$FOUND" != ' ' ] && tell L $FOUND
	return 0
}

# finish is the end without anybody to tell: TERM, a second, KILL.
finish() {
	look
	[ "$FOUND" != ' ' ] && strike TERM $FOUND
	ROUND=0
	while [ $ROUND -lt 10 ] && [ "$FOUND" != ' ' ]; do
		pause
		look
		ROUND=$((ROUND + 1))
	done
	# Somebody may be in the middle of an exec, without a mark to be seen.
	for ROUNDS in 1 2 3 4 5; do
		slay
		pause
	done
}

# calm stops the clock. One that has run out does not come back from here.
calm() {
	[ -n "$TIMER" ] && kill $TIMER 2>/dev/null
	TIMER=
}

# lease starts the clock anew. It is a process of its own, because no POSIX
# read has a time limit, and nobody's child, because a shell that only reads
# does not reap.
lease() {
	calm
	[ "$LEASE" -gt 0 ] || return 0
	TIMER=$(
		clock &
		echo $!
	)
}

clock() {
	exec </dev/null >/dev/null 2>&1
	# A child that is not sleep yet would take TERM for its parent and forget it.
	trap '[ -n "$!" ] && kill -KILL $!; exit 0' TERM
	sleep $LEASE &
	wait $!
	trap '' TERM
	finish
	kill -KILL $$
}

# scope WHOM sets FOUND and INGROUP to those that a signal is for. Without a
# group of its own, the group of a run is all of it.
scope() {
	look
	case $1 in
	leader)
		INGROUP=' '
		case $FOUND in *" $RUN "*) FOUND=" $RUN " ;; *) FOUND=' ' ;; esac
		;;
	group) [ -n "$ALONE" ] || FOUND=$INGROUP ;;
	esac
}

PAGE=1
[ -n "$PROC" ] && PAGE=$(getconf PAGESIZE 2>/dev/null || echo 4096)
[ -z "$PROC" ] && PAGE=1024
command -v sleep >/dev/null 2>&1 || LEASE=0
echo
echo "ARMED-$MARK $$ ${PROC:-0} ${MARKS:-0} $LEASE $PAGE"
lease

while IFS= read -r LINE; do
	IFS=' '
	set -- $LINE
	case $1 in
	B) # heartbeat
		lease
		echo "E $2"
		;;
	P) # the run: pid, and its group or 0
		RUN=$3 GROUP=$4
		[ "$GROUP" = 0 ] && ALONE=1
		lease
		echo "E $2"
		;;
	X) # the leader has ended: its numbers may soon be anybody's
		RUN=0
		look
		[ "$INGROUP" = ' ' ] && GROUP=0
		[ "$FOUND" != ' ' ] && tell M $FOUND
		echo "E $2"
		;;
	T) # the tree
		look
		[ "$FOUND" != ' ' ] && tell M $FOUND
		echo "E $2"
		;;
	S) # a signal: name, scope
		scope $4
		[ "$FOUND" != ' ' ] && tell M $FOUND && strike $3 $FOUND
		echo "E $2"
		;;
	K) # kill them all
		slay tell
		echo "E $2"
		;;
	Q) # nothing is left to guard
		calm
		exit 0
		;;
	esac
done
calm
finish
exit 0
